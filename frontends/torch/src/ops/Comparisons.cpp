// SPDX-License-Identifier: MIT
// Comparisons of two operands in their common type, and questions about one.
#include "core/Elementwise.hpp"
#include "frontend/Activations.hpp"

namespace poptorch {

namespace {

Converter comparison(const char *type) {
  return [type](Call &c) -> Values {
    const auto [a, b] = c.operands("self", "other");
    return {c.m.op(type, {a, b})};
  };
}

Values notEqual(Call &c) {
  const auto [a, b] = c.operands("self", "other");
  return {c.m.op("Not", {c.m.op("Equal", {a, b})})};
}

using Question = Value (*)(Call &, Value);

// A question that integers answer all alike.
Converter question(Question ask, bool ofIntegers) {
  return [=](Call &c) -> Values {
    const Value x = c.in("self");
    return {c.isFloating(x) ? ask(c, x) : filled(c, c.shape(), ofIntegers, DataType::BOOL)};
  };
}

Value isInfinite(Call &c, Value x, const char *not_) {
  return c.m.op("IsInf", {x}, {{not_, std::int64_t(0)}});
}

// |self - other| <= atol + rtol * |other|, or equal (infinities), or both NaN if those count
Values isClose(Call &c) {
  auto [a, b] = c.operands("self", "other");
  a = c.floating(a), b = c.floating(b);
  const Value apart = c.m.op("Abs", {c.m.sub(a, b)});
  const Value allowed = c.m.add(c.m.mul(c.m.op("Abs", {b}), c.real("rtol")), c.real("atol"));
  const Value near = c.m.op("LessOrEqual", {apart, allowed});
  Value close =
      c.m.op("Or", {c.m.op("Equal", {a, b}), c.m.op("And", {frontend::isFinite(c, apart), near})});
  if (c.flag("equal_nan"))
    close = c.m.op("Or", {close, c.m.op("And", {c.m.op("IsNaN", {a}), c.m.op("IsNaN", {b})})});
  return {close};
}

} // namespace

void addComparisons(Registry &r) {
  r.add("eq", comparison("Equal"));
  r.add("ne", notEqual);
  r.add("lt", comparison("Less"));
  r.add("le", comparison("LessOrEqual"));
  r.add("gt", comparison("Greater"));
  r.add("ge", comparison("GreaterOrEqual"));
  r.add("isclose", isClose);
  r.add("isnan", question([](Call &c, Value x) { return c.m.op("IsNaN", {x}); }, false));
  r.add("isinf", question([](Call &c, Value x) { return c.m.op("IsInf", {x}); }, false));
  r.add("isposinf",
        question([](Call &c, Value x) { return isInfinite(c, x, "detect_negative"); }, false));
  r.add("isneginf",
        question([](Call &c, Value x) { return isInfinite(c, x, "detect_positive"); }, false));
  r.add("isfinite", question([](Call &c, Value x) { return frontend::isFinite(c, x); }, true));
}

} // namespace poptorch
