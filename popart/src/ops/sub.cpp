// SPDX-License-Identifier: MIT
// Sub: z = a - b, with broadcasting.   da = dz, db = -dz, summed to their shapes
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

OpDef subOp() {
  OpDef op = binary("Sub", "Difference of two tensors, with broadcasting.");
  op.canonical = fromOldBroadcast;
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [](const Exprs &x) { return pe::Sub(x[0], x[1]); });
  };
  op.fold = foldBinary([](double a, double b) { return a - b; },
                       [](std::int64_t a, std::int64_t b) { return a - b; });
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.unbroadcast(g.dy(), op.in(0)), g.neg(g.unbroadcast(g.dy(), op.in(1)))};
  };
  return op;
}

} // namespace popart::ops
