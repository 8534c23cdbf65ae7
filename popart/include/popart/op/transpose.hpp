// SPDX-License-Identifier: MIT
#ifndef POPART_OP_TRANSPOSE_HPP
#define POPART_OP_TRANSPOSE_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// Dimensions in another order.
class TransposeOp : public BuiltinOp {
public:
  // perm: empty turns all dimensions round.
  TransposeOp(const OperatorIdentifier &id, const Shape &perm, const Settings &s)
      : BuiltinOp(id, "ai.onnx", "Transpose", s) {
    if (!perm.empty())
      setPerm(perm);
  }
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new TransposeOp(*this)); }
  // Dimension i of the result is dimension perm[i].
  const Shape getPerm() const {
    return attributes_.getAttribute<Attributes::Ints>("perm", Shape());
  }
  void setPerm(const Shape &perm) { attributes_.setAttribute("perm", perm); } // changes the order
  // Positions of inputs and outputs.
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
