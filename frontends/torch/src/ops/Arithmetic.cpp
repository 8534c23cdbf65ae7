// SPDX-License-Identifier: MIT
// Sums, differences, products, quotients and remainders of two operands in their common type, and
// the sums of products made of them.
#include "core/Conversion.hpp"
#include "core/Elementwise.hpp"
#include <cmath>

namespace poptorch {

namespace {

// a + alpha * b, or a - alpha * b; for bools, add is or.
Values sum(Call &c, const char *type, const char *first, const char *second) {
  auto [a, b] = c.operands(first, second);
  if (c.isBool(a)) {
    if (std::string(type) == "Add")
      return {c.m.op("Or", {a, b})};
    c.fail("bools cannot be subtracted; use logical_xor.");
  }
  if (c.has("alpha") && c.real("alpha") != 1)
    b = c.m.mul(b, c.real("alpha"));
  return {c.m.op(type, {a, b})};
}

// self * other; for bools, and.
Values product(Call &c) {
  auto [a, b] = c.operands("self", "other");
  return {c.m.op(c.isBool(a) ? "And" : "Mul", {a, b})};
}

// self / other, of integers too. A power of two divides by its exact inverse, which is faster.
Value quotient(Call &c) {
  auto [a, b] = c.operands("self", "other");
  a = c.floating(a);
  if (!c.isTensor("other")) {
    int exponent = 0;
    const bool exact = std::fabs(std::frexp(c.real("other"), &exponent)) == 0.5;
    if (exact && std::abs(exponent) < 12)
      return c.m.mul(a, 1 / c.real("other"));
  }
  return c.m.div(a, c.floating(b));
}

// Python's a // b of integers: one less than C's where the signs differ and something remains.
Value integerFloor(Call &c, Value a, Value b) {
  const Value q = c.m.div(a, b), rest = c.m.sub(a, c.m.mul(q, b));
  const Value differ = c.m.op("Xor", {c.compared("Less", rest, 0), c.compared("Less", b, 0)});
  const Value remains = c.m.op("Not", {c.compared("Equal", rest, 0)});
  return c.m.where(c.m.op("And", {remains, differ}), c.m.sub(q, 1.0), q);
}

// Python's a // b: (a - a % b) / b, which is whole but for rounding. No gradient.
Value floored(Call &c) {
  const auto [a, b] = c.operands("self", "other");
  if (!c.isFloating(a))
    return integerFloor(c, a, b);
  const Value rest = c.m.op("Remainder", {a, b});
  const Value whole = c.m.op("Round", {c.m.div(c.m.sub(a, rest), b)});
  return detached(c, c.m.where(c.compared("Equal", b, 0), c.m.div(a, b), whole));
}

// Towards zero. No gradient.
Value cut(Call &c) {
  const auto [a, b] = c.operands("self", "other");
  const Value q = c.m.div(a, b);
  return c.isFloating(q) ? detached(c, truncated(c, q)) : q;
}

Values division(Call &c) {
  const std::string mode = c.has("rounding_mode") ? c.text("rounding_mode") : "";
  if (mode == "floor")
    return {floored(c)};
  if (mode == "trunc")
    return {cut(c)};
  const Value y = quotient(c);
  // The batchmean of kl_div is a sum that torch divides in Python: the quotient is the loss.
  if (c.isTensor("self") && c.conversion().lossBy(c.in("self")) == "aten::kl_div")
    c.markLoss(y);
  return {y};
}

// What is left of a division, with the sign of the dividend (Fmod) or the divisor (Remainder).
Values rest(Call &c, const char *type) {
  const auto [a, b] = c.operands("self", "other");
  return {c.m.op(type, {a, b})};
}

// self + value * tensor1 * tensor2, or self + value * tensor1 / tensor2
Values combined(Call &c, const char *type) {
  const auto in = [&](const char *name) { return c.cast(c.in(name), c.type()); };
  Value part = c.m.op(type, {in("tensor1"), in("tensor2")});
  if (c.real("value") != 1)
    part = c.m.mul(part, c.real("value"));
  return {c.m.add(in("self"), part)};
}

// self + weight * (end - self), from the nearer end
Values lerp(Call &c) {
  const Value a = c.cast(c.in("self"), c.type()), b = c.cast(c.in("end"), c.type());
  const Value way = c.m.sub(b, a);
  if (c.isTensor("weight"))
    return {c.m.add(a, c.m.mul(c.cast(c.in("weight"), c.type()), way))};
  const double weight = c.real("weight");
  if (std::fabs(weight) < 0.5)
    return {c.m.add(a, c.m.mul(way, weight))};
  return {c.m.sub(b, c.m.mul(way, 1 - weight))};
}

} // namespace

void addArithmetic(Registry &r) {
  r.add("add", [](Call &c) { return sum(c, "Add", "self", "other"); });
  r.add("sub", [](Call &c) { return sum(c, "Sub", "self", "other"); });
  r.add("rsub", [](Call &c) { return sum(c, "Sub", "other", "self"); });
  r.add("mul", product);
  r.add("div", division);
  r.add("true_divide", division);
  r.add("floor_divide", [](Call &c) -> Values { return {floored(c)}; });
  r.add("fmod", [](Call &c) { return rest(c, "Fmod"); });
  r.add("remainder", [](Call &c) { return rest(c, "Remainder"); });
  r.add("addcmul", [](Call &c) { return combined(c, "Mul"); });
  r.add("addcdiv", [](Call &c) { return combined(c, "Div"); });
  r.add("lerp", lerp);
}

} // namespace poptorch
