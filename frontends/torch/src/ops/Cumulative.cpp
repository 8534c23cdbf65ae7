// SPDX-License-Identifier: MIT
// Running sums, products, extremes along an axis. All but sums are made by doubling: after step k
// every element holds what the last 2^k elements come to, so log2(n) steps suffice, and no element
// is divided by.
#include "core/Places.hpp"
#include <functional>
#include <limits>

namespace poptorch {

namespace {

struct Axis {
  Value x;
  std::int64_t axis, extent;
};
Axis axisOf(Call &c, Value x) {
  x = asVector(c, x);
  const auto axis = c.axis("dim", c.rank(x));
  return {x, axis, c.shapeOf(x)[std::size_t(axis)]};
}

// The values of all elements but the first `by` ones, beside those `by` places before them.
using Combine = std::function<Values(const Values &before, const Values &here)>;
Values scanned(Call &c, Values x, std::int64_t axis, std::int64_t extent, const Combine &combine) {
  for (std::int64_t by = 1; by < extent; by *= 2) {
    Values first, before, here;
    for (Value v : x) {
      first.push_back(c.slice(v, axis, 0, by));
      before.push_back(c.slice(v, axis, 0, extent - by));
      here.push_back(c.slice(v, axis, by, extent));
    }
    const auto combined = combine(before, here);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = c.concat({first[i], combined[i]}, axis);
  }
  return x;
}

// The type that sums of this one are computed in on the device.
DataType wide(DataType type) {
  return type == DataType::FLOAT || type == DataType::FLOAT16 ? type : DataType::INT32;
}

Values cumsum(Call &c) {
  const auto [x, axis, extent] = axisOf(c, c.cast(c.in("self"), c.type()));
  const Value y = c.m.op("CumSum", {c.cast(x, wide(c.type()))}, {{"axis", axis}});
  return {c.m.reshape(y, c.shape())};
}

Values cumprod(Call &c) {
  const auto [x, axis, extent] = axisOf(c, c.cast(c.in("self"), wide(c.type())));
  const auto y = scanned(c, {x}, axis, extent, [&](const Values &a, const Values &b) -> Values {
    return {c.m.mul(a[0], b[0])};
  });
  return {c.m.reshape(y[0], c.shape())};
}

// Values and where they stand; of equal elements the last one, and a NaN stays.
Values extremes(Call &c, const char *notLess) {
  const auto [x, axis, extent] = axisOf(c, c.in("self"));
  Shape shape(c.rank(x), 1);
  shape[std::size_t(axis)] = extent;
  const Value places = c.broadcast(c.m.reshape(c.iota(extent), shape), c.shapeOf(x));
  const bool narrow = !c.isFloating(x);
  const Value start = narrow ? c.cast(x, DataType::INT32) : x;
  const auto y =
      scanned(c, {start, places}, axis, extent, [&](const Values &a, const Values &b) -> Values {
        Value later = c.m.op(notLess, {b[0], a[0]});
        if (!narrow)
          later = c.m.op("Or", {later, c.m.op("IsNaN", {b[0]})});
        return {c.m.where(later, b[0], a[0]), c.m.where(later, b[1], a[1])};
      });
  return {c.m.reshape(y[0], c.shape(0)), c.m.reshape(y[1], c.shape(1))};
}

// log(exp(a) + exp(b)) = max(a, b) + log(1 + exp(-|a - b|))
Value logAddExp(Call &c, Value a, Value b) {
  const Value zero = c.m.scalar(0, a);
  const Value apart = c.m.where(c.m.op("Equal", {a, b}), zero, c.m.sub(a, b));
  const Value rest = c.m.op("Log1p", {c.m.exp(c.m.neg(c.m.op("Abs", {apart})))});
  return c.m.add(c.m.op("Max", {a, b}), rest);
}
Values logcumsumexp(Call &c) {
  const auto [x, axis, extent] = axisOf(c, c.in("self"));
  const auto y = scanned(c, {x}, axis, extent, [&](const Values &a, const Values &b) -> Values {
    return {logAddExp(c, a[0], b[0])};
  });
  return {c.m.reshape(y[0], c.shape())};
}

} // namespace

void addCumulative(Registry &r) {
  r.add("cumsum", cumsum);
  r.add("cumprod", cumprod);
  r.add("cummax", [](Call &c) { return extremes(c, "GreaterOrEqual"); });
  r.add("cummin", [](Call &c) { return extremes(c, "LessOrEqual"); });
  r.add("logcumsumexp", logcumsumexp);
}

} // namespace poptorch
