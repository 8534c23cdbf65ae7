// SPDX-License-Identifier: MIT
// Pools over windows: maxima (and where they are), means, and maxima put back. An input without a
// batch dimension is a batch of one. Windows begin every `stride` elements; with ceil_mode a last
// one may reach over the end, but begins before it.
#include "core/Call.hpp"
#include <algorithm>

namespace poptorch {

namespace {

struct Window {
  Shape field, kernel, strides, dilations, lower, upper, output;
  bool batched;

  Integers pads() const {
    Integers out = lower;
    out.insert(out.end(), upper.begin(), upper.end());
    return out;
  }
  bool isPadded() const {
    const auto some = [](auto p) { return p != 0; };
    return std::any_of(lower.begin(), lower.end(), some) ||
           std::any_of(upper.begin(), upper.end(), some);
  }
  Attributes attributes() const {
    return {
        {"kernel_shape", kernel}, {"strides", strides}, {"dilations", dilations}, {"pads", pads()}};
  }
};

Window windowOf(const Call &c, const Shape &x, std::size_t dims) {
  Window w;
  w.batched = x.size() == dims + 2;
  w.field = Shape(x.end() - std::ptrdiff_t(dims), x.end());
  w.kernel = c.repeated("kernel_size", dims);
  w.strides = c.integers("stride").empty() ? w.kernel : c.repeated("stride", dims);
  w.dilations = c.has("dilation") ? c.repeated("dilation", dims) : Integers(dims, 1);
  w.lower = w.upper = c.repeated("padding", dims);
  w.output = Shape(c.shape().end() - std::ptrdiff_t(dims), c.shape().end());
  for (std::size_t d = 0; d < dims; ++d) { // rounded up: the last window reaches over the end
    const auto extent = (w.kernel[d] - 1) * w.dilations[d] + 1;
    const auto end = (w.output[d] - 1) * w.strides[d] + extent;
    w.upper[d] = std::max(w.upper[d], end - w.field[d] - w.lower[d]);
  }
  return w;
}

Value batch(const Call &c, Value x, const Window &w) { return w.batched ? x : c.unsqueeze(x, 0); }
Value unbatch(const Call &c, Value y, const Window &w) { return w.batched ? y : c.squeeze(y, 0); }

// Integers are pooled as floats; results are cast back.
Value pooledInput(Call &c) { return c.floating(c.in("self")); }

// The number of an element within its channel, of a number within the whole tensor.
Value withinChannel(const Call &c, Value indices, const Shape &x) {
  std::int64_t plane = 1;
  for (std::size_t d = 2; d < x.size(); ++d)
    plane *= x[d];
  Shape starts(x.size(), 1);
  starts[0] = x[0];
  starts[1] = x[1];
  const Value first = c.m.mul(c.m.reshape(c.iota(x[0] * x[1]), starts), double(plane));
  return c.m.sub(indices, first);
}

// The largest of every window. Positions are an operator of their own, which goes if unused.
Values maxPool(Call &c, std::size_t dims) {
  const Value given = pooledInput(c);
  const Window w = windowOf(c, c.shapeOf(given), dims);
  const Value x = batch(c, given, w);
  Attributes attributes = w.attributes();
  attributes.set("first_of_ties", std::int64_t(1));
  Values out{unbatch(c, c.m.op("MaxPool", {x}, attributes), w)};
  if (c.results() > 1) {
    const Value where = c.m.ops("MaxPool", {c.m.op("Detach", {x})}, 2, w.attributes())[1];
    out.push_back(unbatch(c, withinChannel(c, where, c.shapeOf(x)), w));
  }
  return out;
}

// The number of elements, and of padding if asked for, in every window [1, 1, output...].
std::vector<double> countsIn(const Window &w, const Integers &padding, bool padded, Shape &shape) {
  std::vector<double> counts{1};
  shape = {1, 1};
  for (std::size_t d = 0; d < w.field.size(); ++d) {
    std::vector<double> next;
    const auto end = w.field[d] + 2 * padding[d];
    for (double before : counts)
      for (std::int64_t o = 0; o < w.output[d]; ++o) {
        const auto from = o * w.strides[d], to = std::min(from + w.kernel[d], end);
        next.push_back(before * double(padded ? to - from
                                              : std::min(to, padding[d] + w.field[d]) -
                                                    std::max(from, padding[d])));
      }
    counts = std::move(next);
    shape.push_back(w.output[d]);
  }
  return counts;
}

// One over these numbers.
Value shares(const Call &c, const Window &w, const Integers &padding, DataType type) {
  Shape shape;
  auto counts = countsIn(w, padding, true, shape);
  for (auto &n : counts)
    n = 1 / n;
  return c.m.constant(HostTensor::fromDoubles(TensorInfo(type, shape), counts));
}

// The means of integers are cut off, as torch does.
Value integerMeans(Call &c, const Window &w, Value sum) {
  const auto dims = w.field.size();
  Shape shape;
  auto counts = countsIn(w, c.repeated("padding", dims), c.flag("count_include_pad", true), shape);
  if (c.has("divisor_override"))
    counts.assign(counts.size(), c.real("divisor_override"));
  const Value by = c.m.constant(HostTensor::fromDoubles({DataType::INT32, shape}, counts));
  return c.m.div(c.cast(sum, DataType::INT32), by);
}

// The mean of every window: over its elements, also over padding, or the sum over a number.
Values averagePool(Call &c, std::size_t dims) {
  const Value given = pooledInput(c);
  const Window w = windowOf(c, c.shapeOf(given), dims);
  const Value x = batch(c, given, w);
  if (c.has("divisor_override") && c.integer("divisor_override") == 0)
    c.fail("divisor_override must not be zero.");
  if (!popart::isFloatingPoint(c.type()))
    return {unbatch(c, integerMeans(c, w, c.m.op("SumPool", {x}, w.attributes())), w)};
  if (c.has("divisor_override")) {
    const Value sum = c.m.op("SumPool", {x}, w.attributes());
    return {unbatch(c, c.m.mul(sum, 1.0 / double(c.integer("divisor_override"))), w)};
  }
  if (!w.isPadded() || !c.flag("count_include_pad", true))
    return {unbatch(c, c.m.op("AveragePool", {x}, w.attributes()), w)};
  const Value sum = c.m.op("SumPool", {x}, w.attributes());
  const Value by = shares(c, w, c.repeated("padding", dims), c.m.type(x));
  return {unbatch(c, c.m.mul(sum, by), w)};
}

// Elements at their positions within a channel of zeros [..., output...].
Values maxUnpool(Call &c, std::size_t dims) {
  const Value x = c.in("self");
  const Shape shape = c.shapeOf(x);
  std::int64_t rows = 1, from = 1, to = 1;
  for (std::size_t d = 0; d < shape.size(); ++d)
    (d + dims < shape.size() ? rows : from) *= shape[d];
  for (std::size_t d = shape.size() - dims; d < shape.size(); ++d)
    to *= c.shape()[d];
  const Value places = c.m.reshape(c.in("indices"), {rows, from});
  const Value y = c.m.op("ScatterElements",
                         {c.full({rows, to}, 0, c.m.type(x)), places, c.m.reshape(x, {rows, from})},
                         {{"axis", std::int64_t(1)}});
  return {c.m.reshape(y, c.shape())};
}

} // namespace

void addPools(Registry &r) {
  for (std::size_t dims = 1; dims <= 3; ++dims) {
    const std::string d = std::to_string(dims) + "d";
    r.add("max_pool" + d, [dims](Call &c) { return maxPool(c, dims); });
    r.add("max_pool" + d + "_with_indices", [dims](Call &c) { return maxPool(c, dims); });
    r.add("avg_pool" + d, [dims](Call &c) { return averagePool(c, dims); });
    if (dims > 1)
      r.add("max_unpool" + d, [dims](Call &c) { return maxUnpool(c, dims); });
  }
}

} // namespace poptorch
