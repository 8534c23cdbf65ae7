// SPDX-License-Identifier: MIT
// Mul: z = a * b, with broadcasting.   da = dz * b, db = dz * a, summed to their shapes
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

OpDef mulOp() {
  OpDef op = binary("Mul", "Product of two tensors element by element, with broadcasting.");
  op.canonical = fromOldBroadcast;
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [](const Exprs &x) { return pe::Mul(x[0], x[1]); });
  };
  op.fold = foldBinary([](double a, double b) { return a * b; },
                       [](std::int64_t a, std::int64_t b) { return a * b; });
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.unbroadcast(g.mul(g.dy(), op.in(1)), op.in(0)),
            g.unbroadcast(g.mul(g.dy(), op.in(0)), op.in(1))};
  };
  return op;
}

} // namespace popart::ops
