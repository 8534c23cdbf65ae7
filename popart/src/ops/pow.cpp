// SPDX-License-Identifier: MIT
// Pow: z = a ^ b, with broadcasting; the types may differ, z has that of a.
//   da = dz * b * a^(b-1), 0 where b is 0     db = dz * z * log(a), 0 where a is 0 and b >= 0
#include "lowering/lowering.hpp"
#include "ops/shared/arithmetic.hpp"
#include <cmath>

namespace popart::ops {

namespace {

bool bothIntegers(const OpView &op) {
  return isInteger(op.in(0).type()) && isInteger(op.in(1).type());
}

// An integer to a real power is truncated, but 3^2.0 must not become 8 for one bit of rounding.
Expr truncated(const Expr &x, DataType type) {
  const Expr nearest = pe::NearbyInt(x);
  const Expr isNear = pe::Lt(pe::Abs(pe::Sub(x, nearest)), pe::Mul(pe::Abs(nearest), number(1e-6)));
  const Expr whole = pe::Cast(pe::Select(nearest, x, isNear), poplar::INT);
  return lowering::deviceType(type) == poplar::UNSIGNED_INT
             ? Expr(pe::Cast(whole, poplar::UNSIGNED_INT))
             : narrowed(type, whole);
}

Expr expr(const OpView &op, const Exprs &x) {
  const DataType base = op.in(0).type();
  const auto type = lowering::deviceType(base);
  if (isFloatingPoint(base))
    return pe::Pow(x[0], base == op.in(1).type() ? x[1] : Expr(pe::Cast(x[1], type)));
  if (!bothIntegers(op))
    return truncated(pe::Pow(pe::Cast(x[0], poplar::FLOAT), pe::Cast(x[1], poplar::FLOAT)), base);
  const Expr result = pe::Pow(pe::Cast(x[0], poplar::INT), pe::Cast(x[1], poplar::INT));
  return type == poplar::UNSIGNED_INT ? Expr(pe::Cast(result, type)) : narrowed(base, result);
}

std::int64_t integerPower(std::int64_t a, std::int64_t b) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  std::uint64_t result = 1, base = static_cast<std::uint64_t>(a);
  for (; b; b >>= 1, base *= base)
    result *= b & 1 ? base : 1;
  return static_cast<std::int64_t>(result);
}

Values grad(GradBuilder &g, const OpView &op) {
  if (!isFloatingPoint(op.in(0).type()))
    return {none, none};
  const Value a = op.in(0), b = g.cast(op.in(1), op.in(0).type()), zero = g.scalar(0, a);
  const Value slope = g.mul(b, g.op("Pow", {a, g.add(b, -1.0)}));
  const Value da = g.mul(g.dy(), g.where(isEqual(g, b, 0), zero, slope));
  Value db = none;
  if (isFloatingPoint(op.in(1).type()) && !op.in(1).isConstant()) {
    const Value flat = g.op("And", {isEqual(g, a, 0), g.op("GreaterOrEqual", {b, zero})});
    db = g.mul(g.dy(), g.where(flat, zero, g.mul(op.out(0), g.log(a))));
    db = g.unbroadcast(g.cast(db, op.in(1).type()), op.in(1));
  }
  return {g.unbroadcast(da, op.in(0)), db};
}

} // namespace

OpDef powOp() {
  OpDef op = binary("Pow", "The first tensor to the power of the second, with broadcasting.");
  op.canonical = fromOldBroadcast;
  op.infer = [](const OpView &op) -> Infos {
    if (op.in(0).type() == DataType::BOOL || op.in(1).type() == DataType::BOOL)
      op.fail("base ", op.in(0).info(), " and exponent ", op.in(1).info(), " must be numbers.");
    return {{op.in(0).type(), broadcast(op, op.in(0).shape(), op.in(1).shape())}};
  };
  op.expr = expr;
  op.fold = [](const OpView &op) -> std::vector<HostTensor> {
    static const Fold fold =
        foldBinary([](double a, double b) { return std::pow(a, b); }, integerPower);
    return isFloatingPoint(op.in(0).type()) || bothIntegers(op) ? fold(op)
                                                                : std::vector<HostTensor>();
  };
  op.grad = grad;
  return op;
}

} // namespace popart::ops
