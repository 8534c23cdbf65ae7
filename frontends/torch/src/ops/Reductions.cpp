// SPDX-License-Identifier: MIT
// Sums, products and extremes along dimensions. Results are shaped as torch says, so none of these
// cares for keepdim.
#include "core/Places.hpp"
#include <cmath>
#include <limits>

namespace poptorch {

namespace {

Integers axesOf(Call &c, Value x) { return c.axes("dim", c.rank(x)); }

// One reduction; `empty` is its result for no elements.
Value over(Call &c, const char *type, Value x, const Integers &axes, double empty) {
  if (count(c.shapeOf(x)) == 0)
    return c.full(c.shape(), empty, c.m.type(x));
  return c.m.reshape(c.reduce(type, x, axes, false), c.shape());
}

// In the type of the result, which torch widens for integers.
Values sum(Call &c) {
  const Value x = c.cast(c.in("self"), c.type());
  return {over(c, "ReduceSum", x, axesOf(c, x), 0)};
}
Values prod(Call &c) {
  const Value x = c.cast(c.in("self"), c.type());
  return {over(c, "ReduceProd", x, axesOf(c, x), 1)};
}
Values mean(Call &c) {
  const Value x = c.cast(c.in("self"), c.type());
  return {over(c, "ReduceMean", x, axesOf(c, x), std::nan(""))};
}

// Sum of the elements that are numbers.
Values nansum(Call &c) {
  Value x = c.in("self");
  if (c.isFloating(x))
    x = c.m.where(c.m.op("IsNaN", {x}), c.m.scalar(0, x), x);
  x = c.cast(x, c.type());
  return {over(c, "ReduceSum", x, axesOf(c, x), 0)};
}

Value truths(Call &c) { return c.cast(c.in("self"), DataType::BOOL); }
Values all(Call &c) {
  const Value x = truths(c);
  return {over(c, "ReduceMin", x, axesOf(c, x), 1)};
}
Values any(Call &c) {
  const Value x = truths(c);
  return {over(c, "ReduceMax", x, axesOf(c, x), 0)};
}
Values countNonzero(Call &c) {
  const Value x = c.cast(truths(c), DataType::INT32);
  return {over(c, "ReduceSum", x, axesOf(c, x), 0)};
}

// Equal extremes share the gradient.
Value extreme(Call &c, const char *type, Value x) {
  if (count(c.shapeOf(x)) == 0)
    return c.full(c.shape(), 0, c.m.type(x));
  return over(c, type, x, axesOf(c, x), 0);
}
Values amax(Call &c) { return {extreme(c, "ReduceMax", c.in("self"))}; }
Values amin(Call &c) { return {extreme(c, "ReduceMin", c.in("self"))}; }
Values aminmax(Call &c) {
  const Value x = c.in("self");
  return {extreme(c, "ReduceMin", x), extreme(c, "ReduceMax", x)};
}

// max and min in their three forms: of all elements, along an axis with indices (the first of equal
// elements gets the gradient), of two tensors.
Values maxOrMin(Call &c, bool largest) {
  if (c.has("other"))
    return (*Registry::all().find(largest ? "aten::maximum" : "aten::minimum"))(c);
  const Value x = c.in("self");
  if (!c.has("dim"))
    return {extreme(c, largest ? "ReduceMax" : "ReduceMin", x)};
  const Value v = asVector(c, x);
  const auto axis = c.axis("dim", c.rank(v));
  if (count(c.shape()) == 0)
    return {c.full(c.shape(0), 0, c.type(0)), c.full(c.shape(1), 0, c.type(1))};
  if (!largest && c.isFloating(v)) { // TopK has NaN behind all numbers
    const Value at = c.m.op("ArgMin", {v}, {{"axis", axis}});
    const Value least = c.m.op("GatherElements", {v, at}, {{"axis", axis}});
    return {c.m.reshape(least, c.shape(0)), c.m.reshape(at, c.shape(1))};
  }
  const auto top = c.m.ops(
      "TopK", {v}, 2, {{"axis", axis}, {"k", std::int64_t(1)}, {"largest", std::int64_t(largest)}});
  return {c.m.reshape(top[0], c.shape(0)), c.m.reshape(top[1], c.shape(1))};
}

// Where the first extreme or NaN is; without an axis, in the flat tensor.
Values argument(Call &c, const char *type) {
  Value x = c.in("self");
  x = c.has("dim") ? asVector(c, x) : flat(c, x);
  const auto axis = c.has("dim") ? c.axis("dim", c.rank(x)) : 0;
  if (count(c.shape()) == 0)
    return {c.full(c.shape(), 0, c.type())};
  const Value y = c.m.op(type, {x}, {{"axis", axis}, {"keepdims", std::int64_t(0)}});
  return {c.m.reshape(y, c.shape())};
}

// log(sum(exp(x)))
Values logsumexp(Call &c) {
  const Value x = c.floating(c.in("self"));
  const double nothing = -std::numeric_limits<double>::infinity();
  return {over(c, "ReduceLogSumExp", x, axesOf(c, x), nothing)};
}

} // namespace

void addReductions(Registry &r) {
  r.add("sum", sum);
  r.add("prod", prod);
  r.add("mean", mean);
  r.add("nansum", nansum);
  r.add("all", all);
  r.add("any", any);
  r.add("count_nonzero", countNonzero);
  r.add("amax", amax);
  r.add("amin", amin);
  r.add("aminmax", aminmax);
  r.add("_aminmax", aminmax);
  r.add("max", [](Call &c) { return maxOrMin(c, true); });
  r.add("min", [](Call &c) { return maxOrMin(c, false); });
  r.add("argmax", [](Call &c) { return argument(c, "ArgMax"); });
  r.add("argmin", [](Call &c) { return argument(c, "ArgMin"); });
  r.add("logsumexp", logsumexp);
}

} // namespace poptorch
