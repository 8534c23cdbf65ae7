// SPDX-License-Identifier: MIT
// Div: z = a / b, with broadcasting; integers towards zero, and 0 where b is 0.
//   da = dz / b     db = -dz * z / b     summed to their shapes
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {
// The smallest number by -1 wraps around to itself.
std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return b == -1 ? std::int64_t(0 - std::uint64_t(a)) : b ? a / b : 0;
}
} // namespace

OpDef divOp() {
  OpDef op = binary("Div", "Quotient of two tensors, with broadcasting.");
  op.canonical = fromOldBroadcast;
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [](const Exprs &x) { return pe::Divide(x[0], x[1]); });
  };
  op.fold = foldBinary([](double a, double b) { return a / b; }, quotient);
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value da = g.div(g.dy(), op.in(1));
    return {g.unbroadcast(da, op.in(0)), g.unbroadcast(g.neg(g.mul(da, op.out(0))), op.in(1))};
  };
  return op;
}

} // namespace popart::ops
