// SPDX-License-Identifier: MIT
#ifndef POPART_OP_SOFTMAX_HPP
#define POPART_OP_SOFTMAX_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// exp(x) over its sum along one axis.
class SoftmaxOp : public BuiltinOp {
public:
  // axis: along which the sum is 1, as ONNX has it since version 13.
  SoftmaxOp(const OperatorIdentifier &id, std::int64_t axis, const Settings &s)
      : BuiltinOp(id, "ai.onnx", "Softmax", s) {
    setAxis(axis);
  }
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new SoftmaxOp(*this)); }
  // The dimension along which the sum is 1.
  std::int64_t getAxis() const { return attributes_.getAttribute<Attributes::Int>("axis"); }
  void setAxis(std::int64_t axis) { attributes_.setAttribute("axis", axis); }
  // Positions of inputs and outputs.
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
