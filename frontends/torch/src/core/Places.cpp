// SPDX-License-Identifier: MIT
#include "core/Places.hpp"

#include "core/Conversion.hpp"
#include <algorithm>
#include <numeric>

namespace poptorch {

std::int64_t count(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>());
}
Integers rowMajorStrides(const Shape &shape) {
  Integers out(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    out[d - 1] = out[d] * shape[d];
  return out;
}
Integers inverse(const Integers &permutation) {
  Integers out(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    out[std::size_t(permutation[i])] = std::int64_t(i);
  return out;
}

namespace {
Integers others(const Integers &axes, std::size_t rank) {
  Integers out;
  for (auto d : upTo(rank))
    if (std::find(axes.begin(), axes.end(), d) == axes.end())
      out.push_back(d);
  return out;
}
} // namespace

Integers toFront(const Integers &axes, std::size_t rank) {
  Integers out = axes;
  const auto rest = others(axes, rank);
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}
Integers toBack(const Integers &axes, std::size_t rank) {
  Integers out = others(axes, rank);
  out.insert(out.end(), axes.begin(), axes.end());
  return out;
}

Value asVector(Call &c, Value v) { return c.rank(v) == 0 ? c.m.reshape(v, {1}) : v; }
Value flat(Call &c, Value v) { return c.m.reshape(v, {count(c.shapeOf(v))}); }
Value numbers(Call &c, const Shape &shape, const Integers &values) {
  return c.m.constant(HostTensor::fromIntegers({DataType::INT32, shape}, values));
}

Value checkedIndices(Call &c, Value indices, std::int64_t end, std::int64_t lowest,
                     std::optional<std::int64_t> ignored) {
  Attributes range{
      {"lowest", lowest}, {"end", end}, {"user", c.conversion().describe(c.operation())}};
  if (ignored)
    range.set("ignored", *ignored);
  return c.m.op("CheckIndices", {c.cast(indices, DataType::INT32)}, range);
}

Value fromBegin(Call &c, Value indices, std::int64_t extent) {
  const Value zero = c.m.scalar(0, DataType::INT32);
  return c.m.where(c.m.op("Less", {indices, zero}), c.m.add(indices, double(extent)), indices);
}
Value wrapped(Call &c, Value indices, std::int64_t extent) {
  return fromBegin(c, checkedIndices(c, indices, extent, -extent), extent);
}
Value checkedStart(Call &c, Value start, std::int64_t extent, std::int64_t length) {
  const auto last = std::max<std::int64_t>(extent - length, 0);
  return checkedIndices(c, c.m.reshape(start, {1}), last + 1);
}

Value elementsAt(Call &c, Value v, const Integers &offsets, const Shape &shape) {
  const Value at = numbers(c, {std::int64_t(offsets.size())}, offsets);
  return c.m.reshape(c.m.op("Gather", {flat(c, v), at}, {{"axis", std::int64_t(0)}}), shape);
}

Integers stridedOffsets(const Shape &shape, const Integers &strides, std::int64_t start) {
  Integers out{start};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Integers next;
    next.reserve(out.size() * std::size_t(shape[d]));
    for (auto from : out)
      for (std::int64_t i = 0; i < shape[d]; ++i)
        next.push_back(from + i * strides[d]);
    out = std::move(next);
  }
  return out;
}

Value withElements(Call &c, Value base, const Integers &offsets, Value part) {
  const Shape shape = c.shapeOf(base);
  auto from = upTo(std::size_t(count(shape)));
  for (std::size_t i = 0; i < offsets.size(); ++i)
    from[std::size_t(offsets[i])] = std::int64_t(from.size() + i);
  if (offsets.empty())
    return base;
  return elementsAt(c, c.concat({flat(c, base), flat(c, part)}, 0), from, shape);
}

Value withSlice(Call &c, Value base, Value part, std::int64_t axis, std::int64_t begin,
                std::int64_t step) {
  const auto extent = c.shapeOf(base)[std::size_t(axis)];
  const auto steps = c.shapeOf(part)[std::size_t(axis)];
  if (steps == 0)
    return base;
  if (step == 1 || steps == 1) {
    Values parts;
    if (begin > 0)
      parts.push_back(c.slice(base, axis, 0, begin));
    parts.push_back(part);
    if (begin + steps < extent)
      parts.push_back(c.slice(base, axis, begin + steps, extent));
    return c.concat(parts, axis);
  }
  auto from = upTo(std::size_t(extent));
  for (std::int64_t i = 0; i < steps; ++i)
    from[std::size_t(begin + i * step)] = extent + i;
  return c.m.op("Gather", {c.concat({base, part}, axis), numbers(c, {extent}, from)},
                {{"axis", axis}});
}

Shape broadcastShape(const Call &c, const Shape &a, const Shape &b) {
  Shape out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const auto y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      c.fail("shapes ", popart::ir::text(a), " and ", popart::ir::text(b), " do not broadcast.");
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

Value scaledByFrequency(Call &c, Value rows, Value indices, std::int64_t tableRows) {
  const Value at = flat(c, c.cast(indices, DataType::INT32));
  const auto n = c.shapeOf(at)[0];
  if (n == 0)
    return rows;
  const Value times = c.m.op(
      "ScatterReduce", {c.full({n}, 1, DataType::INT32), at},
      {{"axis", std::int64_t(0)}, {"axis_size", tableRows}, {"reduction", std::string("sum")}});
  Shape shape = c.shapeOf(indices);
  shape.push_back(1);
  const Value own = c.m.op("Gather", {times, at}, {{"axis", std::int64_t(0)}});
  const Value share = c.m.reciprocal(c.cast(c.m.reshape(own, shape), c.m.type(rows)));
  const Value fixed = c.m.op("Detach", {rows});
  return c.m.add(fixed, c.m.mul(c.m.sub(rows, fixed), share));
}

Value insteadOf(Call &c, Value value, Value replaced) {
  if (!differentiates(c) || !c.isFloating(value) || !c.isFloating(replaced))
    return value;
  return c.m.op("InsteadOf", {value, replaced});
}

bool differentiates(Call &c) { return c.conversion().settings().training; }

} // namespace poptorch
