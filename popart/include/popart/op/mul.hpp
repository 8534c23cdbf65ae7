// SPDX-License-Identifier: MIT
#ifndef POPART_OP_MUL_HPP
#define POPART_OP_MUL_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// A * b with numpy's broadcasting.
class MulOp : public BuiltinOp {
public:
  MulOp(const OperatorIdentifier &id, const Settings &s) : BuiltinOp(id, "ai.onnx", "Mul", s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new MulOp(*this)); }
  // Positions of inputs and outputs.
  static InIndex getArg0InIndex() { return 0; }
  static InIndex getArg1InIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
