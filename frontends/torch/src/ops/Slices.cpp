// SPDX-License-Identifier: MIT
// Parts of a tensor along one axis, and tensors with such a part replaced.
#include "core/Places.hpp"
#include <algorithm>
#include <limits>

namespace poptorch {

namespace {

struct Part {
  Value x;
  std::int64_t axis, extent;
};
Part along(Call &c, const char *tensor = "self", const char *dim = "dim") {
  const Value x = c.in(tensor);
  const auto axis = c.axis(dim, c.rank(x));
  return {x, axis, c.rank(x) ? c.shapeOf(x)[std::size_t(axis)] : 1};
}
std::int64_t indexOf(Call &c, std::int64_t extent) {
  const auto i = c.integer("index");
  return i < 0 ? i + extent : i;
}
// start of a slice, as Python has it
std::int64_t startOf(Call &c, std::int64_t extent) {
  const auto start = c.integer("start", 0);
  return std::clamp<std::int64_t>(start < 0 ? start + extent : start, 0, extent);
}

// x[..., index, ...]
Values select(Call &c) {
  const auto [x, axis, extent] = along(c);
  const auto i = indexOf(c, extent);
  return {c.m.reshape(c.slice(x, axis, i, i + 1), c.shape())};
}

// x[..., start:end:step, ...]
Values slice(Call &c) {
  const auto [x, axis, extent] = along(c);
  const auto step = c.integer("step", 1);
  const auto begin = startOf(c, extent), length = c.shape()[std::size_t(axis)];
  return {c.slice(x, axis, begin, std::min(begin + length * step, extent), step)};
}

// `length` entries from a start that may be known only when the model runs.
Values narrow(Call &c) {
  const auto [x, axis, extent] = along(c);
  const auto length = c.integer("length");
  if (!c.isTensor("start")) {
    const auto start = startOf(c, extent);
    return {c.slice(x, axis, start, start + length)};
  }
  const Value from = c.cast(c.in("start"), DataType::INT32);
  const Value start = length == 1 ? c.m.reshape(wrapped(c, from, extent), {1})
                                  : checkedStart(c, fromBegin(c, from, extent), extent, length);
  const Value at = c.m.add(start, c.iota(length));
  const Value within = c.m.op("Remainder", {at, c.m.scalar(double(extent), at)});
  return {c.m.op("Gather", {x, within}, {{"axis", axis}})};
}

// Consecutive parts, as long as torch says.
Values split(Call &c) {
  const auto [x, axis, extent] = along(c);
  Values out;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < c.results(); ++i) {
    const auto length = c.shape(i)[std::size_t(axis)];
    out.push_back(c.slice(x, axis, begin, begin + length));
    begin += length;
  }
  return out;
}
Values unbind(Call &c) {
  const auto [x, axis, extent] = along(c);
  Values out;
  for (std::int64_t i = 0; i < extent; ++i)
    out.push_back(c.m.reshape(c.slice(x, axis, i, i + 1), c.shape(std::size_t(i))));
  return out;
}

// self with self[..., index, ...] = src
Values selectScatter(Call &c) {
  const auto [x, axis, extent] = along(c);
  const Value part = c.unsqueeze(c.cast(c.in("src"), c.m.type(x)), axis);
  return {withSlice(c, x, part, axis, indexOf(c, extent), 1)};
}
// self with self[..., start:end:step, ...] = src
Values sliceScatter(Call &c) {
  const auto [x, axis, extent] = along(c);
  const Value part = c.cast(c.in("src"), c.m.type(x));
  return {withSlice(c, x, part, axis, startOf(c, extent), c.integer("step", 1))};
}

// Windows of `size` elements every `step` along a dimension; their elements are the last dimension.
Values unfold(Call &c) {
  const auto [given, axis, extent] = along(c, "self", "dimension");
  const Value x = asVector(c, given);
  const auto size = c.integer("size"), step = c.integer("step");
  if (c.rank(given) == 0 || size == 0)
    return {c.m.reshape(c.slice(x, axis, 0, size), c.shape())};
  const auto windows = c.shape()[std::size_t(axis)];
  const auto last = std::int64_t(c.rank(x));
  Values parts;
  if (size <= windows) { // the i-th elements of all windows
    for (std::int64_t i = 0; i < size; ++i) {
      const auto end = i + (windows - 1) * step + 1;
      parts.push_back(c.unsqueeze(c.slice(x, axis, i, end, step), last));
    }
    return {c.concat(parts, last)};
  }
  auto order = upTo(c.rank(x) + 1);
  order.push_back(axis + 1);
  order.erase(order.begin() + axis + 1);
  for (std::int64_t i = 0; i < windows; ++i)
    parts.push_back(c.unsqueeze(c.slice(x, axis, i * step, i * step + size), axis));
  return {c.m.transpose(c.concat(parts, axis), order)};
}

} // namespace

void addSlices(Registry &r) {
  for (const char *name : {"select", "select_copy"})
    r.add(name, select);
  for (const char *name : {"slice", "slice_copy"})
    r.add(name, slice);
  for (const char *name : {"narrow", "narrow_copy"})
    r.add(name, narrow);
  for (const char *name : {"split", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes",
                           "split_copy", "split_with_sizes_copy"})
    r.add(name, split);
  for (const char *name : {"unbind", "unbind_copy"})
    r.add(name, unbind);
  r.add("select_scatter", selectScatter);
  r.add("slice_scatter", sliceScatter);
  for (const char *name : {"unfold", "unfold_copy"})
    r.add(name, unfold);
}

} // namespace poptorch
