// SPDX-License-Identifier: MIT
// Element-wise nodes as one expression over tensors: inputs become placeholders, constants of one
// element become numbers in the expression.
#pragma once
#include "lowering/lowering.hpp"

namespace popart::lowering {

class ExpressionBuilder {
public:
  ExpressionBuilder(Lowering &lowering, const ir::Graph &model)
      : lowering_(lowering), model_(model) {}
  // One node, as a map of its own.
  poplar::Tensor map(const ops::OpView &op);
  // A body of element-wise nodes whose inputs are these tensors (or constants of `outer`): one map
  // with as many outputs as the body has.
  ops::Tensors mapBody(const ir::Graph &body, const ops::OpView &outer);

private:
  ops::Expr operand(const ir::Graph &graph, ir::Value v);
  ops::Tensors places(const ops::OpView &op);
  ops::Expr placeholder(const poplar::Tensor &t);

  Lowering &lowering_;
  const ir::Graph &model_;
  std::vector<poplar::Tensor> tensors_;
};

} // namespace popart::lowering
