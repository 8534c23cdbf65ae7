// SPDX-License-Identifier: MIT
// Powers, and functions of two operands that are made of exponentials, logarithms and roots.
#include "core/Elementwise.hpp"
#include "frontend/Activations.hpp"
#include <cmath>

namespace poptorch {

namespace {

// Exponents for which there is something faster than a power, with a gradient at zero.
Value knownPower(Call &c, Value x, double exponent) {
  if (exponent == 0)
    return filled(c, c.shapeOf(x), 1, c.m.type(x));
  if (exponent == 1)
    return x;
  if (exponent == 2)
    return c.m.square(x);
  if (exponent == 3)
    return c.m.mul(c.m.square(x), x);
  if (!c.isFloating(x))
    return none;
  if (exponent == 0.5)
    return c.m.sqrt(x);
  if (exponent == -0.5)
    return c.m.reciprocal(c.m.sqrt(x));
  if (exponent == -1)
    return c.m.reciprocal(x);
  return exponent == -2 ? c.m.reciprocal(c.m.square(x)) : none;
}

// self ^ exponent in the type of the result; either may be a number.
Values power(Call &c) {
  const auto in = [&](const char *name) {
    return c.isTensor(name) ? c.cast(c.in(name), c.type()) : c.m.scalar(c.real(name), c.type());
  };
  const Value x = in("self");
  if (!c.isTensor("exponent"))
    if (const Value y = knownPower(c, x, c.real("exponent")); y != none)
      return {y};
  return {c.m.op("Pow", {x, in("exponent")})};
}

Value squared(Call &c, Value x) { return c.isBool(x) ? x : c.m.square(x); }

// log(e^a + e^b) = max(a, b) + log(1 + e^-|a - b|), for any base. Equal ones may be infinite.
Values logOfSum(Call &c, double logOfBase) {
  const auto [self, other] = c.operands("self", "other");
  const Value a = wide(c, self), b = wide(c, other);
  const Value apart = c.m.where(c.m.op("Equal", {a, b}), c.m.scalar(0, a), c.m.sub(a, b));
  const Value less = c.m.mul(c.m.op("Abs", {apart}), -logOfBase);
  const Value more = c.m.op("Log1p", {c.m.exp(less)});
  return {c.m.add(c.m.op("Max", {a, b}), logOfBase == 1 ? more : c.m.div(more, logOfBase))};
}

// s sqrt((a/s)^2 + (b/s)^2) with s the larger of both, so that no square overflows
Values hypot(Call &c) {
  const auto [self, other] = c.operands("self", "other");
  const Value a = wide(c, self), b = wide(c, other);
  const Value larger = detached(c, c.m.op("Max", {c.m.op("Abs", {a}), c.m.op("Abs", {b})}));
  const Value usable =
      c.m.op("And", {frontend::isFinite(c, larger), c.compared("Greater", larger, 0)});
  const Value s = c.m.where(usable, larger, c.m.scalar(1, larger));
  const Value sum = c.m.add(c.m.square(c.m.div(a, s)), c.m.square(c.m.div(b, s)));
  return {c.m.mul(s, c.m.sqrt(sum))};
}

// self * log(other), 0 where self is 0 whatever other is, unless it is NaN
Values xlogy(Call &c) {
  auto [x, y] = c.operands("self", "other");
  x = c.floating(x), y = c.floating(y);
  const Value odd = c.m.op("Or", {c.compared("LessOrEqual", y, 0), c.m.op("IsInf", {y})});
  const Value nothing = c.m.op("And", {c.compared("Equal", x, 0), odd});
  return {c.m.mul(x, c.m.log(c.m.where(nothing, c.m.scalar(1, y), y)))};
}

Values atan2(Call &c) {
  const auto [y, x] = c.operands("self", "other");
  return {c.m.op("Atan2", {c.floating(y), c.floating(x)})};
}

} // namespace

void addPowers(Registry &r) {
  r.add("pow", power);
  r.add("square", [](Call &c) -> Values { return {squared(c, c.in("self"))}; });
  r.add("logaddexp", [](Call &c) { return logOfSum(c, 1); });
  r.add("logaddexp2", [](Call &c) { return logOfSum(c, M_LN2); });
  r.add("hypot", hypot);
  r.add("xlogy", xlogy);
  r.add("atan2", atan2);
}

} // namespace poptorch
