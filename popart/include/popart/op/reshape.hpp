// SPDX-License-Identifier: MIT
#ifndef POPART_OP_RESHAPE_HPP
#define POPART_OP_RESHAPE_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// What Reshape and its gradient share.
class ReshapeBaseOp : public BuiltinOp {
public:
  ReshapeBaseOp(const OperatorIdentifier &id, const Shape &shape, const Settings &s)
      : BuiltinOp(id, "ai.onnx", "Reshape", s) {
    attributes_.setAttribute("shape", shape);
  }
  // The shape of the result.
  const Shape getOutShape() const { return attributes_.getAttribute<Attributes::Ints>("shape"); }
  // Positions of inputs and outputs.
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

// Of a shape with 0 the input's dimension stays, and one of -1 follows from the others.
class ReshapeOp : public ReshapeBaseOp {
public:
  ReshapeOp(const OperatorIdentifier &id, const Shape &shape, const Settings &s,
            bool /*handleZero*/ = true)
      : ReshapeBaseOp(id, shape, s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new ReshapeOp(*this)); }
};

} // namespace popart
#endif
