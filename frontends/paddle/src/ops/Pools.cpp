// SPDX-License-Identifier: MIT
// Maxima and means over windows, over everything, or over as many parts as the result has elements
// (adaptive). Of equal maxima of a window the first has the gradient.
#include "core/Windows.hpp"
#include <algorithm>

namespace paddleipu {

namespace {

struct Window {
  Shape field;
  Integers kernel, strides, pads; // pads: begins, then ends
  bool padded() const {
    return std::any_of(pads.begin(), pads.end(), [](auto p) { return p != 0; });
  }
};

Window windowOf(const Call &c, const Shape &x) {
  const auto dims = x.size() - 2;
  Window w;
  w.field = Shape(x.begin() + 2, x.end());
  w.kernel = repeated(c, "ksize", dims, 1);
  w.strides = repeated(c, "strides", dims, 1);
  w.pads = padsOf(c, w.field, w.kernel, w.strides, Integers(dims, 1));
  if (c.flag("global_pooling")) {
    w.kernel = w.field;
    w.strides = Integers(dims, 1);
    w.pads = Integers(2 * dims, 0);
  }
  return w;
}

// With ceil_mode the last window may reach over the end.
Integers padsReached(const Call &c, const Window &w) {
  auto pads = w.pads;
  const auto dims = w.field.size();
  for (std::size_t d = 0; d < dims; ++d) {
    const auto room = w.field[d] + w.pads[d] + w.pads[d + dims] - w.kernel[d];
    if (room < 0)
      c.fail("a window of ", w.kernel[d], " elements does not fit dimension ", d + 2,
             ", which has ", w.field[d], " and paddings of ", w.pads[d], " and ", w.pads[d + dims],
             ".");
    if (c.flag("ceil_mode") && room % w.strides[d])
      pads[d + dims] += w.strides[d] - room % w.strides[d];
  }
  return pads;
}

// One over the number of elements of every window, padding too where it was asked for.
Value shares(const Call &c, const Window &w, const Integers &pads, DataType type) {
  const auto dims = w.field.size();
  std::vector<double> all{1};
  Shape shape{1, 1};
  for (std::size_t d = 0; d < dims; ++d) {
    const auto end = w.field[d] + w.pads[d] + w.pads[d + dims];
    const auto results = (w.field[d] + pads[d] + pads[d + dims] - w.kernel[d]) / w.strides[d] + 1;
    std::vector<double> next;
    for (double before : all)
      for (std::int64_t o = 0; o < results; ++o)
        next.push_back(before /
                       double(std::min(o * w.strides[d] + w.kernel[d], end) - o * w.strides[d]));
    all = std::move(next);
    shape.push_back(results);
  }
  return c.m.constant(HostTensor::fromDoubles(TensorInfo(type, shape), all));
}

Value pooled(const Call &c, Value x, const Window &w, bool maximum) {
  const auto pads = padsReached(c, w);
  const Attributes attributes{{"kernel_shape", w.kernel},
                              {"strides", w.strides},
                              {"pads", pads},
                              {"first_of_ties", std::int64_t(1)}};
  if (maximum)
    return c.m.op("MaxPool", {x}, attributes);
  if (pads == Integers(pads.size(), 0) || c.flag("exclusive", true))
    return c.m.op("AveragePool", {x}, attributes);
  return c.m.mul(c.m.op("SumPool", {x}, attributes), shares(c, w, pads, c.m.type(x)));
}

// Part o of n covers the elements from floor(o * size / n) to ceil((o + 1) * size / n).
Value adaptiveAlong(const Call &c, Value x, std::int64_t axis, std::int64_t parts, bool maximum) {
  const auto size = c.shapeOf(x)[std::size_t(axis)];
  Values all;
  for (std::int64_t o = 0; o < parts; ++o) {
    const auto begin = o * size / parts, end = ((o + 1) * size + parts - 1) / parts;
    Integers kernel(c.rank(x) - 2, 1);
    kernel[std::size_t(axis) - 2] = end - begin;
    all.push_back(c.m.op(maximum ? "MaxPool" : "AveragePool", {c.slice(x, axis, begin, end)},
                         {{"kernel_shape", kernel}, {"first_of_ties", std::int64_t(1)}}));
  }
  return c.concat(all, axis);
}
Value adaptive(const Call &c, Value x, bool maximum) {
  const auto dims = c.rank(x) - 2;
  auto parts = repeated(c, "ksize", dims, 1);
  Window w;
  w.field = Shape(c.shapeOf(x).begin() + 2, c.shapeOf(x).end());
  w.pads = Integers(2 * dims, 0);
  bool even = true;
  for (std::size_t d = 0; d < dims; ++d) {
    parts[d] = parts[d] == -1 ? w.field[d] : parts[d];
    if (parts[d] < 1)
      c.fail("an adaptive pool needs a positive number of results, not ", parts[d], ".");
    even = even && w.field[d] % parts[d] == 0;
    w.kernel.push_back(w.field[d] / parts[d]);
  }
  w.strides = w.kernel;
  if (even)
    return pooled(c, x, w, maximum);
  for (std::size_t d = dims; d-- > 0;) // the first of a row, then of these the first row
    x = adaptiveAlong(c, x, std::int64_t(d) + 2, parts[d], maximum);
  return x;
}

void pool(Call &c) {
  const bool last = channelsLast(c, "data_format");
  const Value x = toChannelsFirst(c, c.in("X"), last);
  if (c.rank(x) < 3)
    c.fail("X of shape ", popart::ir::text(c.shapeOf(x)), " has no spatial dimension.");
  const auto type = c.text("pooling_type", "max");
  if (type != "max" && type != "avg")
    c.fail("pooling_type \"", type, "\" is not one of max, avg.");
  const bool whole = c.flag("global_pooling");
  const Value y = c.flag("adaptive") && !whole
                      ? adaptive(c, x, type == "max")
                      : pooled(c, x, windowOf(c, c.shapeOf(x)), type == "max");
  c.out("Out", fromChannelsFirst(c, y, last));
}

// Mask: where each maximum stands within its channel.
void withIndex(Call &c) {
  const Value x = c.in("X");
  if (c.flag("adaptive") && !c.flag("global_pooling"))
    c.unimplemented(
        "adaptive pooling with indices is not there. Use adaptive pooling without them.");
  const auto w = windowOf(c, c.shapeOf(x));
  const Attributes attributes{{"kernel_shape", w.kernel},
                              {"strides", w.strides},
                              {"pads", padsReached(c, w)},
                              {"first_of_ties", std::int64_t(1)}};
  c.out("Out", c.m.op("MaxPool", {x}, attributes));
  if (!c.wants("Mask"))
    return;
  const Shape shape = c.shapeOf(x);
  const Value where = c.m.ops("MaxPool", {c.m.op("Detach", {x})}, 2, attributes)[1];
  const Value plane = c.m.scalar(double(shape[2] * shape[3]), DataType::INT32);
  c.out("Mask", c.m.op("Mod", {c.cast(where, DataType::INT32), plane}), 0, VarType::INT32);
}

} // namespace

void addPools(Registry &r) {
  r.add("pool2d", pool);
  r.add("pool3d", pool);
  r.add("max_pool2d_with_index", withIndex);
}

} // namespace paddleipu
