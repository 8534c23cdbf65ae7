// SPDX-License-Identifier: MIT
// Two operands of one type, broadcast.
#include "core/Call.hpp"

namespace tensorflow {

namespace {

Converter binary(const char *type) {
  return [type](Call &c) -> Values { return {c.m.op(type, {c.in(0), c.in(1)})}; };
}

Converter notOf(const char *type) {
  return [type](Call &c) -> Values { return {c.m.op("Not", {c.m.op(type, {c.in(0), c.in(1)})})}; };
}

// Rounded towards minus infinity.
Values floorDiv(Call &c) {
  const Value a = c.in(0), b = c.in(1);
  if (c.isFloating(a))
    return {c.m.op("Floor", {c.m.div(a, b)})};
  const Value rest = c.m.op("Mod", {a, b}); // of the divisor's sign
  return {c.m.div(c.m.sub(a, rest), b)};
}

// The rest has the sign of the divisor: a - floor(a / b) * b
Values floorMod(Call &c) {
  const Value a = c.in(0), b = c.in(1);
  if (!c.isFloating(a))
    return {c.m.op("Mod", {a, b})};
  return {c.m.sub(a, c.m.mul(c.m.op("Floor", {c.m.div(a, b)}), b))};
}

Values addN(Call &c) {
  Value sum = c.in(0);
  for (std::size_t i = 1; i < c.size(); ++i)
    sum = c.m.add(sum, c.in(i));
  return {sum};
}

Values squaredDifference(Call &c) { return {c.m.square(c.m.sub(c.in(0), c.in(1)))}; }

// 0 where the divisor is 0.
Values divNoNan(Call &c) {
  const Value b = c.in(1), zero = c.m.scalar(0, b);
  const Value isZero = c.m.op("Equal", {b, zero});
  const Value safe = c.m.where(isZero, c.m.scalar(1, b), b);
  return {c.m.where(isZero, zero, c.m.div(c.in(0), safe))};
}

Values mulNoNan(Call &c) {
  const Value b = c.in(1), zero = c.m.scalar(0, b);
  return {c.m.where(c.m.op("Equal", {b, zero}), zero, c.m.mul(c.in(0), b))};
}

Values logicalXor(Call &c) { return {c.m.op("Xor", {c.in(0), c.in(1)})}; }

Values select(Call &c) { return {c.m.where(c.in(0), c.in(1), c.in(2))}; }

// Of equal operands the first has the gradient.
Value extreme(Call &c, const char *type, Value a, Value b) {
  return c.m.op(type, {a, b}, {{"first_of_ties", std::int64_t(1)}});
}
Converter extreme(const char *type) {
  return [type](Call &c) -> Values { return {extreme(c, type, c.in(0), c.in(1))}; };
}
Values clip(Call &c) { return {extreme(c, "Min", extreme(c, "Max", c.in(0), c.in(1)), c.in(2))}; }

} // namespace

void addArithmetic(Registry &r) {
  for (const char *name : {"Add", "AddV2"})
    r.add(name, binary("Add"));
  r.add("Sub", binary("Sub"));
  r.add("Mul", binary("Mul"));
  for (const char *name : {"RealDiv", "Div"})
    r.add(name, binary("Div"));
  r.add("Pow", binary("Pow"));
  r.add("Atan2", binary("Atan2"));
  r.add("Maximum", extreme("Max"));
  r.add("Minimum", extreme("Min"));
  r.add("Equal", binary("Equal"));
  r.add("Less", binary("Less"));
  r.add("Greater", binary("Greater"));
  r.add("NotEqual", notOf("Equal"));
  r.add("LessEqual", binary("LessOrEqual"));
  r.add("GreaterEqual", binary("GreaterOrEqual"));
  r.add("LogicalAnd", binary("And"));
  r.add("LogicalOr", binary("Or"));
  r.add("LogicalXor", logicalXor);
  r.add("FloorDiv", floorDiv);
  r.add("FloorMod", floorMod);
  r.add("AddN", addN);
  r.add("SquaredDifference", squaredDifference);
  r.add("DivNoNan", divNoNan);
  r.add("MulNoNan", mulNoNan);
  r.add("SelectV2", select);
  r.add("ClipByValue", clip);
}

} // namespace tensorflow
