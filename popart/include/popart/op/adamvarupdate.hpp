// SPDX-License-Identifier: MIT
#ifndef POPART_OP_ADAMVARUPDATE_HPP
#define POPART_OP_ADAMVARUPDATE_HPP
#include <popart/op/varupdate.hpp>

namespace popart {

// The change that Adam makes to a weight.
class AdamVarUpdateOp : public VarUpdateWithUpdaterOp {
public:
  AdamVarUpdateOp(const OperatorIdentifier &id, const Settings &s, const Attributes &a)
      : VarUpdateWithUpdaterOp(id, "openipu", "AdamVarUpdate", s, a) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new AdamVarUpdateOp(*this));
  }
};

} // namespace popart
#endif
