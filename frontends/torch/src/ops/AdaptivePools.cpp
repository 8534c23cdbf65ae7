// SPDX-License-Identifier: MIT
// Pools to a given size. Output i of n along an axis of m covers elements floor(i * m / n) up to
// ceil((i + 1) * m / n). Where all of these are equally long and equally far apart, they are the
// windows of an ordinary pool; else one slice each, axis by axis.
#include "core/Call.hpp"
#include <algorithm>

namespace poptorch {

namespace {

struct Regions {
  Integers begin, end;

  Regions(std::int64_t in, std::int64_t out) {
    for (std::int64_t i = 0; i < out; ++i) {
      begin.push_back(i * in / out);
      end.push_back(((i + 1) * in + out - 1) / out);
    }
  }
  std::int64_t size() const { return std::int64_t(begin.size()); }
  std::int64_t length() const { return end[0] - begin[0]; }
  std::int64_t stride() const { return size() > 1 ? std::max<std::int64_t>(begin[1], 1) : 1; }
  bool areWindows() const {
    for (std::size_t i = 0; i < begin.size(); ++i)
      if (end[i] - begin[i] != length() || begin[i] != std::int64_t(i) * stride())
        return false;
    return true;
  }
};

struct Plan {
  Value x; // [batch, channels, field...]
  std::vector<Regions> regions;
  Attributes window; // of an ordinary pool, if `isPool`
  bool isPool, batched;
};

Plan planOf(Call &c, std::size_t dims) {
  Plan p{c.in("self"), {}, {}, true, true};
  if (!c.isFloating(p.x))
    c.fail("pools are computed in floating point; cast its input to float first.");
  p.batched = c.rank(p.x) == dims + 2;
  if (!p.batched)
    p.x = c.unsqueeze(p.x, 0);
  Integers kernel, strides;
  for (std::size_t d = 0; d < dims; ++d) {
    p.regions.emplace_back(c.shapeOf(p.x)[d + 2], c.shape()[c.shape().size() - dims + d]);
    const auto &r = p.regions.back();
    if (r.size() == 0)
      c.fail("an output size of 0 has nothing to compute.");
    p.isPool &= r.areWindows();
    kernel.push_back(r.length());
    strides.push_back(r.stride());
  }
  p.window = {{"kernel_shape", kernel}, {"strides", strides}, {"first_of_ties", std::int64_t(1)}};
  return p;
}

Value unbatch(const Call &c, const Plan &p, Value y) { return p.batched ? y : c.squeeze(y, 0); }

// The means of every region of an axis, side by side.
Value meansAlong(const Call &c, Value x, const Regions &r, std::int64_t axis) {
  Values parts;
  for (std::size_t i = 0; i < r.begin.size(); ++i) {
    const Value part = c.slice(x, axis, r.begin[i], r.end[i]);
    parts.push_back(r.end[i] - r.begin[i] == 1 ? part : c.reduce("ReduceMean", part, {axis}, true));
  }
  return c.concat(parts, axis);
}

Value averaged(const Call &c, const Plan &p) {
  if (p.isPool)
    return c.m.op("AveragePool", {p.x}, p.window);
  Value y = p.x;
  for (std::size_t d = 0; d < p.regions.size(); ++d)
    y = meansAlong(c, y, p.regions[d], std::int64_t(d) + 2);
  return y;
}

// Positions of maxima within their channel. Along the last axis first: of the largest of every row
// the first one, then of these the first row.
Value positions(const Call &c, const Plan &p) {
  const Shape x = c.shapeOf(p.x);
  std::int64_t plane = 1;
  Shape field(x.begin() + 2, x.end()), one(x.size(), 1);
  for (auto n : field)
    plane *= n;
  std::copy(field.begin(), field.end(), one.begin() + 2);
  Value values = c.m.op("Detach", {p.x}), at = c.broadcast(c.m.reshape(c.iota(plane), one), x);
  for (std::size_t d = p.regions.size(); d-- > 0;) {
    const auto axis = std::int64_t(d) + 2;
    Values largest, places;
    for (std::size_t i = 0; i < p.regions[d].begin.size(); ++i) {
      const auto begin = p.regions[d].begin[i], end = p.regions[d].end[i];
      const Value part = c.slice(values, axis, begin, end);
      const Value index = c.m.op("ArgMax", {part}, {{"axis", axis}});
      const auto take = [&](Value from) {
        return c.m.op("GatherElements", {from, index}, {{"axis", axis}});
      };
      largest.push_back(take(part));
      places.push_back(take(c.slice(at, axis, begin, end)));
    }
    values = c.concat(largest, axis);
    at = c.concat(places, axis);
  }
  return at;
}

Values adaptiveAverage(Call &c, std::size_t dims) {
  const Plan p = planOf(c, dims);
  return {unbatch(c, p, averaged(c, p))};
}

// What is at positions within channels: gradients go there, as torch's do.
Value taken(const Call &c, Value x, Value at) {
  const Shape shape = c.shapeOf(x), result = c.shapeOf(at);
  const Value y = c.m.op(
      "GatherElements",
      {c.m.reshape(x, {shape[0], shape[1], -1}), c.m.reshape(at, {result[0], result[1], -1})},
      {{"axis", std::int64_t(2)}});
  return c.m.reshape(y, result);
}

Values adaptiveMax(Call &c, std::size_t dims) {
  const Plan p = planOf(c, dims);
  const Value at = positions(c, p);
  const Value y = p.isPool ? c.m.op("MaxPool", {p.x}, p.window) : taken(c, p.x, at);
  return {unbatch(c, p, y), unbatch(c, p, at)};
}

} // namespace

void addAdaptivePools(Registry &r) {
  for (std::size_t dims = 1; dims <= 3; ++dims) {
    const std::string d = std::to_string(dims) + "d";
    r.add("adaptive_avg_pool" + d, [dims](Call &c) { return adaptiveAverage(c, dims); });
    r.add("adaptive_max_pool" + d, [dims](Call &c) { return adaptiveMax(c, dims); });
    if (dims > 1)
      r.add("_adaptive_avg_pool" + d, [dims](Call &c) { return adaptiveAverage(c, dims); });
  }
}

} // namespace poptorch
