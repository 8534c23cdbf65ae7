// SPDX-License-Identifier: MIT
// Div: z = a / b, with broadcasting; integers towards zero, and 0 where b is 0.
//   da = dz / b     db = -dz * z / b     summed to their shapes
#include "ops/core/arithmetic.hpp"

namespace popart::ops {

OpDef divOp() {
  OpDef op = binary("Div", "Quotient of two tensors, with broadcasting.");
  op.canonical = fromOldBroadcast;
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [](const Exprs &x) { return pe::Divide(x[0], x[1]); });
  };
  op.fold = foldBinary([](double a, double b) { return a / b; },
                       [](std::int64_t a, std::int64_t b) { return b ? a / b : 0; });
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value da = g.div(g.dy(), op.in(1));
    return {g.unbroadcast(da, op.in(0)), g.unbroadcast(g.neg(g.mul(da, op.out(0))), op.in(1))};
  };
  return op;
}

} // namespace popart::ops
