// SPDX-License-Identifier: MIT
// Operators on two tensors, element by element. Y is broadcast to X: its dimensions begin at X's
// dimension `axis`, or end where X's end (axis -1). The other way round X is broadcast to Y.
#include "core/Call.hpp"

namespace paddleipu {

namespace {

// The smaller one with ones behind it, so that its dimensions stand where `axis` says.
Value aligned(const Call &c, Value small, std::size_t rank, std::int64_t axis) {
  Shape shape = c.shapeOf(small);
  if (axis < 0 || shape.size() >= rank)
    return small;
  while (!shape.empty() && std::size_t(axis) + shape.size() > rank && shape.back() == 1)
    shape.pop_back();
  if (std::size_t(axis) + shape.size() > rank)
    c.fail("axis ", axis, " leaves no room for a Y of shape ", popart::ir::text(c.shapeOf(small)),
           ".");
  shape.resize(rank - std::size_t(axis), 1);
  return c.m.reshape(small, shape);
}

std::pair<Value, Value> operands(Call &c) {
  Value x = c.in("X"), y = c.in("Y");
  const auto axis = c.integer("axis", -1);
  if (c.rank(y) < c.rank(x))
    y = aligned(c, y, c.rank(x), axis);
  else
    x = aligned(c, x, c.rank(y), axis);
  if (c.m.type(x) != c.m.type(y)) {
    if (c.isFloating(x) || !c.isFloating(y))
      y = c.cast(y, c.m.type(x));
    else
      x = c.cast(x, c.m.type(y));
  }
  return {x, y};
}

Converter binary(const char *type) {
  return [type](Call &c) {
    const auto [x, y] = operands(c);
    c.out("Out", c.m.op(type, {x, y}));
  };
}
Converter relation(const char *type) {
  return [type](Call &c) {
    const auto [x, y] = operands(c);
    c.out("Out", c.m.op(type, {x, y}), 0, VarType::BOOL);
  };
}

// Of equal operands Y has the gradient.
Converter extreme(const char *type) {
  return [type](Call &c) {
    const auto [x, y] = operands(c);
    c.out("Out", c.m.op(type, {y, x}, {{"first_of_ties", std::int64_t(1)}}));
  };
}

// The quotient rounded down.
Value floored(const Call &c, Value x, Value y) {
  if (c.isFloating(x))
    return c.m.op("Floor", {c.m.div(x, y)});
  const Value rest = c.m.op("Mod", {x, y}); // has the sign of y
  return c.m.div(c.m.sub(x, rest), y);
}

// What is left has the sign of Y.
void mod(Call &c) {
  const auto [x, y] = operands(c);
  c.out("Out", c.isFloating(x) ? c.m.sub(x, c.m.mul(c.m.op("Detach", {floored(c, x, y)}), y))
                               : c.m.op("Mod", {x, y}));
}
void floorDivision(Call &c) {
  const auto [x, y] = operands(c);
  c.out("Out", floored(c, x, y));
}

void notEqual(Call &c) {
  const auto [x, y] = operands(c);
  c.out("Out", c.m.op("Not", {c.m.op("Equal", {x, y})}), 0, VarType::BOOL);
}

Value truth(Call &c, const char *slot) { return c.cast(c.in(slot), DataType::BOOL); }
Converter logic(const char *type) {
  return [type](Call &c) {
    c.out("Out", c.m.op(type, {truth(c, "X"), truth(c, "Y")}), 0, VarType::BOOL);
  };
}

} // namespace

void addElementwise(Registry &r) {
  r.add("elementwise_add", binary("Add"));
  r.add("elementwise_sub", binary("Sub"));
  r.add("elementwise_mul", binary("Mul"));
  r.add("elementwise_div", binary("Div"));
  r.add("elementwise_max", extreme("Max"));
  r.add("elementwise_min", extreme("Min"));
  r.add("elementwise_pow", binary("Pow"));
  r.add("elementwise_mod", mod);
  r.add("elementwise_floordiv", floorDivision);
  r.add("equal", relation("Equal"));
  r.add("not_equal", notEqual);
  r.add("less_than", relation("Less"));
  r.add("less_equal", relation("LessOrEqual"));
  r.add("greater_than", relation("Greater"));
  r.add("greater_equal", relation("GreaterOrEqual"));
  r.add("logical_and", logic("And"));
  r.add("logical_or", logic("Or"));
  r.add("logical_xor", logic("Xor"));
  r.add("logical_not",
        [](Call &c) { c.out("Out", c.m.op("Not", {truth(c, "X")}), 0, VarType::BOOL); });
}

} // namespace paddleipu
