// SPDX-License-Identifier: MIT
#ifndef POPART_OP_CLIP_HPP
#define POPART_OP_CLIP_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// Brings elements into an interval.
class ClipOp : public BuiltinOp {
public:
  // Its bounds are inputs, as in ONNX since version 11.
  ClipOp(const OperatorIdentifier &id, const Settings &s) : BuiltinOp(id, "ai.onnx", "Clip", s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new ClipOp(*this)); }
  // Positions of inputs and outputs.
  static InIndex getInIndex() { return 0; }
  static InIndex clip11MinInputIndex() { return 1; }
  static InIndex clip11MaxInputIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
