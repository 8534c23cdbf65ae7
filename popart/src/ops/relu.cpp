// SPDX-License-Identifier: MIT
// Relu: y = max(x, 0).   dx = dy where y > 0, else 0
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

OpDef reluOp() {
  OpDef op = unary("Relu", "The larger of every element and zero.");
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [](const Exprs &x) { return pe::Max(x[0], pe::Const(0)); });
  };
  op.fold = foldUnary([](double x) { return x > 0 ? x : 0.0; },
                      [](std::int64_t x) { return std::max<std::int64_t>(x, 0); });
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value zero = g.scalar(0, op.in(0));
    return {g.where(g.op("Greater", {op.out(0), zero}), g.dy(), zero)};
  };
  op.monotone = [](const OpView &) { return true; };
  return op;
}

} // namespace popart::ops
