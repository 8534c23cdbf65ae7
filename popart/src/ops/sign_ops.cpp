// SPDX-License-Identifier: MIT
// Abs, Neg and Sign.   Abs: dx = dy * sign(x)   Neg: dx = -dy   Sign: dx = 0
#include "ops/shared/arithmetic.hpp"
#include <cmath>

namespace popart::ops {

namespace {
bool isUnsigned(DataType type) { // of those that are not computed as INT
  return type == DataType::UINT32 || type == DataType::UINT64;
}
// The least number stays as it is, as on a device.
std::int64_t negated(std::int64_t x) { return std::int64_t(0 - std::uint64_t(x)); }
} // namespace

std::vector<OpDef> signOps() {
  OpDef abs = unary("Abs", "Every element without its sign.");
  abs.expr = [](const OpView &op, const Exprs &x) -> Expr {
    if (isUnsigned(op.in(0).type()))
      return x[0];
    return computed(op, x, [](const Exprs &x) { return pe::Abs(x[0]); });
  };
  abs.fold = foldUnary([](double x) { return std::fabs(x); },
                       [](std::int64_t x) { return x < 0 ? negated(x) : x; });
  abs.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(g.dy(), g.sign(op.in(0)))};
  };

  OpDef neg = unary("Neg", "Every element with the other sign.");
  neg.expr = [](const OpView &op, const Exprs &x) -> Expr {
    if (isUnsigned(op.in(0).type()))
      return pe::Sub(pe::Const(0u), x[0]);
    return computed(op, x, [](const Exprs &x) { return pe::Neg(x[0]); });
  };
  neg.fold = foldUnary([](double x) { return -x; }, negated);
  neg.grad = [](GradBuilder &g, const OpView &) -> Values { return {g.neg(g.dy())}; };

  OpDef sign = unary("Sign", "-1, 0 or 1: the sign of every element.");
  sign.expr = [](const OpView &op, const Exprs &x) -> Expr {
    if (isUnsigned(op.in(0).type()))
      return pe::Min(x[0], pe::Const(1u));
    return computed(op, x, [](const Exprs &x) { return pe::Signum(x[0]); });
  };
  sign.fold = foldUnary([](double x) { return double(x > 0) - double(x < 0); },
                        [](std::int64_t x) { return std::int64_t(x > 0) - std::int64_t(x < 0); });
  sign.grad = zeroGradient;
  return {abs, neg, sign};
}

} // namespace popart::ops
