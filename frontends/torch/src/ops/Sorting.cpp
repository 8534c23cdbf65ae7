// SPDX-License-Identifier: MIT
// Elements along an axis by size: topk, sort, kthvalue, median, mode. Equal elements are in the
// order in which torch has them on the host, which is stable only where it says so.
#include "core/Places.hpp"
#include <limits>

namespace poptorch {

namespace {

struct Sorted {
  Value values, indices;
};
// The numbers of popops::TieOrder.
enum class Ties : std::int64_t { First, Sorted, Selected, Kth };

Sorted topK(Call &c, Value x, std::int64_t k, std::int64_t axis, bool largest,
            Ties ties = Ties::First, bool sorted = true) {
  const auto out = c.m.ops("TopK", {x}, 2,
                           {{"axis", axis},
                            {"k", k},
                            {"largest", std::int64_t(largest)},
                            {"sorted", std::int64_t(sorted)},
                            {"ties", std::int64_t(ties)}});
  return {out[0], out[1]};
}
Values shaped(Call &c, const Sorted &s) {
  return {c.m.reshape(s.values, c.shape(0)), c.m.reshape(s.indices, c.shape(1))};
}
std::int64_t extentOf(Call &c, Value x, std::int64_t axis) {
  return c.shapeOf(x)[std::size_t(axis)];
}

Values topk(Call &c) {
  const Value x = asVector(c, c.in("self"));
  const auto axis = c.axis("dim", c.rank(x));
  return shaped(c, topK(c, x, c.integer("k"), axis, c.flag("largest", true), Ties::Selected,
                        c.flag("sorted", true)));
}

Sorted sorted(Call &c) {
  const Value x = asVector(c, c.in("self"));
  const auto axis = c.axis("dim", c.rank(x));
  const auto ties = c.flag("stable") ? Ties::First : Ties::Sorted;
  return topK(c, x, extentOf(c, x, axis), axis, c.flag("descending"), ties);
}
Values sort(Call &c) { return shaped(c, sorted(c)); }
Values argsort(Call &c) { return {c.m.reshape(sorted(c).indices, c.shape())}; }

// The k-th smallest, from 1 on.
Sorted kth(Call &c, Value x, std::int64_t k, std::int64_t axis, Ties ties) {
  const auto all = topK(c, x, k, axis, false, ties);
  return {c.slice(all.values, axis, k - 1, k), c.slice(all.indices, axis, k - 1, k)};
}
Values kthvalue(Call &c) {
  const Value x = asVector(c, c.in("self"));
  return shaped(c, kth(c, x, c.integer("k"), c.axis("dim", c.rank(x)), Ties::Kth));
}

double lowest(DataType type) {
  return type == DataType::FLOAT || type == DataType::FLOAT16
             ? -std::numeric_limits<double>::infinity()
             : -2147483648.0;
}

// If there is NaN, the first one.
Sorted orNan(Call &c, Value x, std::int64_t axis, const Sorted &s) {
  const Value at = c.m.op("ArgMax", {x}, {{"axis", axis}});
  const Value top = c.m.op("GatherElements", {x, at}, {{"axis", axis}});
  const Value isNan = c.m.op("IsNaN", {top});
  return {c.m.where(isNan, top, s.values), c.m.where(isNan, at, s.indices)};
}

// The lower one of two middle elements, or NaN. Of all elements: equal ones share the gradient.
Values median(Call &c) {
  Value x = c.in("self");
  const bool along = c.has("dim");
  x = along ? asVector(c, x) : flat(c, x);
  const auto axis = along ? c.axis("dim", c.rank(x)) : 0;
  auto s = kth(c, x, (extentOf(c, x, axis) + 1) / 2, axis, Ties::First);
  if (c.isFloating(x))
    s = orNan(c, x, axis, s);
  if (along)
    return shaped(c, s);
  Value y = s.values;
  if (differentiates(c) && c.isFloating(x)) {
    const Value is =
        c.m.op("Or", {c.m.op("Equal", {x, c.m.op("Detach", {y})}), c.m.op("IsNaN", {x})});
    y = c.reduce("ReduceMax", c.m.where(is, x, c.m.scalar(lowest(c.m.type(x)), x)), {0}, false);
  }
  return {c.m.reshape(y, c.shape())};
}

// The same of those elements that are numbers: they are sorted to the front, and counted.
Values nanmedian(Call &c) {
  if (const Value given = c.in("self"); !c.isFloating(given))
    return median(c);
  Value x = c.in("self");
  x = c.has("dim") ? asVector(c, x) : flat(c, x);
  const auto axis = c.has("dim") ? c.axis("dim", c.rank(x)) : 0;
  const Value isNan = c.m.op("IsNaN", {x});
  const Value last = c.m.scalar(std::numeric_limits<double>::infinity(), x);
  const auto order = topK(c, c.m.where(isNan, last, x), extentOf(c, x, axis), axis, false).indices;
  const Value isNumber = c.cast(c.m.op("Not", {isNan}), DataType::INT32);
  const Value n = c.m.reduceSum(isNumber, {axis}, true);
  const Value one = c.m.scalar(1, n);
  const Value middle = c.m.div(c.m.sub(c.m.op("Max", {n, one}), one), 2.0);
  const Value at = c.m.op("GatherElements", {order, middle}, {{"axis", axis}});
  const Value y = c.m.op("GatherElements", {x, at}, {{"axis", axis}});
  if (!c.has("dim"))
    return {c.m.reshape(y, c.shape())};
  return shaped(c, {y, at});
}

// The most frequent element, the smallest of several; where the last of them in sorted order is.
Values mode(Call &c) {
  const Value x = asVector(c, c.in("self"));
  const auto axis = c.axis("dim", c.rank(x));
  const Value same = c.m.op("Equal", {c.unsqueeze(x, axis), c.unsqueeze(x, axis + 1)});
  const Value times = c.m.reduceSum(c.cast(same, DataType::INT32), {axis}, false);
  const Value most = c.reduce("ReduceMax", times, {axis}, true);
  const auto type = c.m.type(x);
  const Value highest = c.m.scalar(c.isFloating(x) ? std::numeric_limits<double>::infinity()
                                   : type == DataType::INT32 ? 2147483647.0
                                   : type == DataType::INT16 ? 32767.0
                                   : type == DataType::UINT8 ? 255.0
                                                             : 127.0,
                                   type);
  const Value candidates = c.m.where(c.m.op("Equal", {times, most}), x, highest);
  const Value value = c.reduce("ReduceMin", candidates, {axis}, true);
  Shape shape(c.rank(x), 1);
  shape[std::size_t(axis)] = extentOf(c, x, axis);
  const Value places = c.m.reshape(c.iota(shape[std::size_t(axis)]), shape);
  const auto order = topK(c, x, extentOf(c, x, axis), axis, false, Ties::Sorted);
  const Value there =
      c.m.where(c.m.op("Equal", {order.values, value}), places, c.m.scalar(0, DataType::INT32));
  const Value last = c.reduce("ReduceMax", there, {axis}, true);
  const Value at = c.m.op("GatherElements", {order.indices, last}, {{"axis", axis}});
  return shaped(c, {c.m.op("GatherElements", {x, at}, {{"axis", axis}}), at});
}

} // namespace

void addSorting(Registry &r) {
  r.add("topk", topk);
  r.add("sort", sort);
  r.add("argsort", argsort);
  r.add("kthvalue", kthvalue);
  r.add("median", median);
  r.add("nanmedian", nanmedian);
  r.add("mode", mode);
}

} // namespace poptorch
