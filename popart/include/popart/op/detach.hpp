// SPDX-License-Identifier: MIT
#ifndef POPART_OP_DETACH_HPP
#define POPART_OP_DETACH_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// The input itself; no gradient goes through.
class DetachOp : public BuiltinOp {
public:
  DetachOp(const OperatorIdentifier &id, const Settings &s)
      : BuiltinOp(id, "ai.graphcore", "Detach", s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new DetachOp(*this)); }
  // Positions of inputs and outputs.
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
