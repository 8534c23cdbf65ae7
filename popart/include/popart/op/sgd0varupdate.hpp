// SPDX-License-Identifier: MIT
#ifndef POPART_OP_SGD0VARUPDATE_HPP
#define POPART_OP_SGD0VARUPDATE_HPP
#include <popart/op/varupdate.hpp>

namespace popart {

// The change that SGD without momentum makes to a weight.
class SGD0VarUpdateOp : public VarUpdateWithUpdaterOp {
public:
  SGD0VarUpdateOp(const OperatorIdentifier &id, const Settings &s, const Attributes &a)
      : VarUpdateWithUpdaterOp(id, "openipu", "SGD0VarUpdate", s, a) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new SGD0VarUpdateOp(*this));
  }
};

} // namespace popart
#endif
