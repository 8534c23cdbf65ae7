// SPDX-License-Identifier: MIT
// Sum: y = a + b + ..., with broadcasting.   every gradient is dy, summed to its shape
#include "ops/core/elementwise.hpp"

namespace popart::ops {

OpDef sumOp() {
  OpDef op;
  op.type = "Sum";
  op.doc = "Sum of any number of tensors, with broadcasting.";
  op.in = {1, any};
  op.infer = [](const OpView &op) -> Infos {
    requireSameTypes(op);
    Shape shape = op.in(0).shape();
    for (std::size_t i = 1; i < op.inputs(); ++i)
      shape = broadcast(op, shape, op.in(i).shape());
    return {{op.in(0).type(), shape}};
  };
  op.expr = [](const OpView &, const Exprs &x) -> Expr {
    Expr sum = x[0];
    for (std::size_t i = 1; i < x.size(); ++i)
      sum = pe::Add(sum, x[i]);
    return sum;
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    Values grads;
    for (std::size_t i = 0; i < op.inputs(); ++i)
      grads.push_back(g.unbroadcast(g.dy(), op.in(i)));
    return grads;
  };
  return op;
}

} // namespace popart::ops
