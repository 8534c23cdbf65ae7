// SPDX-License-Identifier: MIT
// Add: z = a + b, with broadcasting.   da, db = dz summed to their shapes
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

OpDef addOp() {
  OpDef op = binary("Add", "Sum of two tensors, with broadcasting.");
  op.canonical = fromOldBroadcast;
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [](const Exprs &x) { return pe::Add(x[0], x[1]); });
  };
  op.fold = foldBinary([](double a, double b) { return a + b; },
                       [](std::int64_t a, std::int64_t b) { return a + b; });
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.unbroadcast(g.dy(), op.in(0)), g.unbroadcast(g.dy(), op.in(1))};
  };
  op.adds = true;
  return op;
}

} // namespace popart::ops
