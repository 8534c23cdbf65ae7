// SPDX-License-Identifier: MIT
// Magnitudes and signs.
#include "core/Elementwise.hpp"
#include "core/Places.hpp"

namespace poptorch {

namespace {

Converter plain(const char *type) {
  return [type](Call &c) -> Values {
    const Value x = c.in("self");
    return {c.isBool(x) ? x : c.m.op(type, {x})};
  };
}

// Below zero, or the negative zero, whose inverse is negative.
Value isNegative(Call &c, Value x) {
  const Value below = c.compared("Less", x, 0);
  if (!c.isFloating(x))
    return below;
  return c.m.op("Or", {below, c.compared("Less", c.m.reciprocal(x), 0)});
}

Values signbit(Call &c) {
  const Value x = c.in("self");
  return {c.isBool(x) ? filled(c, c.shape(), 0, DataType::BOOL) : isNegative(c, x)};
}

// |self| with the sign of other
Values copysign(Call &c) {
  auto [x, sign] = c.operands("self", "other");
  x = c.floating(x), sign = c.floating(sign);
  const Value one = c.m.scalar(1, x);
  const Value y = c.m.mul(c.m.op("Abs", {x}), c.m.where(isNegative(c, sign), c.m.neg(one), one));
  return {insteadOf(c, y, sign)}; // whose gradient is zero
}

// 0 below zero, 1 above, and `values` at zero
Values heaviside(Call &c) {
  const auto [x, atZero] = c.operands("self", "values");
  const Value step = c.cast(c.compared("Greater", x, 0), c.m.type(x));
  return {detached(c, c.m.where(c.compared("Equal", x, 0), atZero, step))};
}

} // namespace

void addSigns(Registry &r) {
  r.add("abs", plain("Abs"));
  r.add("neg", plain("Neg"));
  r.add("sign", plain("Sign"));
  r.add("sgn", plain("Sign"));
  r.add("positive", [](Call &c) -> Values { return {c.in("self")}; });
  r.add("signbit", signbit);
  r.add("copysign", copysign);
  r.add("heaviside", heaviside);
}

} // namespace poptorch
