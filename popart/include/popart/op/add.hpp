// SPDX-License-Identifier: MIT
#ifndef POPART_OP_ADD_HPP
#define POPART_OP_ADD_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// A + b with numpy's broadcasting.
class AddOp : public BuiltinOp {
public:
  AddOp(const OperatorIdentifier &id, const Settings &s) : BuiltinOp(id, "ai.onnx", "Add", s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new AddOp(*this)); }
  // Positions of inputs and outputs.
  static InIndex getArg0InIndex() { return 0; }
  static InIndex getArg1InIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
