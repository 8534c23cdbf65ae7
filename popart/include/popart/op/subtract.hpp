// SPDX-License-Identifier: MIT
#ifndef POPART_OP_SUBTRACT_HPP
#define POPART_OP_SUBTRACT_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// A - b with numpy's broadcasting.
class SubtractOp : public BuiltinOp {
public:
  SubtractOp(const OperatorIdentifier &id, const Settings &s)
      : BuiltinOp(id, "ai.onnx", "Sub", s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new SubtractOp(*this)); }
  // Positions of inputs and outputs.
  static InIndex getArg0InIndex() { return 0; }
  static InIndex getArg1InIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
