// SPDX-License-Identifier: MIT
// Sum: y = a + b + ..., with broadcasting.   every gradient is dy, summed to its shape
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

OpDef sumOp() {
  OpDef op = variadic("Sum", "Sum of any number of tensors, with broadcasting.");
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [](const Exprs &x) { return combined<pe::Add>(x, 0, x.size()); });
  };
  op.fold = foldVariadic([](double a, double b) { return a + b; },
                         [](std::int64_t a, std::int64_t b) { return a + b; });
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    Values grads;
    for (std::size_t i = 0; i < op.inputs(); ++i)
      grads.push_back(g.unbroadcast(g.dy(), op.in(i)));
    return grads;
  };
  op.adds = true;
  return op;
}

} // namespace popart::ops
