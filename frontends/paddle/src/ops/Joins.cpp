// SPDX-License-Identifier: MIT
// Tensors put together and taken apart.
#include "frontend/Joins.hpp"
#include "core/Call.hpp"
#include <algorithm>
#include <limits>

namespace paddleipu {

namespace {

void concat(Call &c) {
  const Values all = c.ins("X");
  const auto axis = c.positive(
      c.has("AxisTensor") ? c.constants("AxisTensor").at(0) : c.integer("axis", 0), c.rank(all[0]));
  c.out("Out", c.concat(all, axis));
}

void outAll(Call &c, const char *slot, const Values &all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    c.out(slot, all[i], i);
}

void split(Call &c) {
  const Value x = c.in("X");
  const auto axis = c.positive(
      c.has("AxisTensor") ? c.constants("AxisTensor").at(0) : c.integer("axis", 0), c.rank(x));
  Integers sections = c.integers("sections");
  if (const auto n = c.integer("num", 0); sections.empty() && n > 0)
    sections = frontend::equalSizes(c, x, axis, n);
  outAll(c, "Out", frontend::pieces(c, x, axis, sections));
}

void stack(Call &c) {
  const Values all = c.ins("X");
  const auto axis = c.positive(c.integer("axis", 0), c.rank(all[0]) + 1);
  c.out("Y", frontend::stacked(c, all, axis));
}
void unstack(Call &c) {
  const Value x = c.in("X");
  outAll(c, "Y", frontend::unstacked(c, x, c.axis("axis", 0, c.rank(x))));
}

// Dimensions of one element that an index chose vanish.
void outSliced(Call &c, Value v) {
  const auto drops = c.integers("decrease_axis");
  if (drops.empty())
    return c.out("Out", v);
  Shape shape;
  for (std::size_t d = 0; d < c.rank(v); ++d)
    if (std::find(drops.begin(), drops.end(), std::int64_t(d)) == drops.end())
      shape.push_back(c.shapeOf(v)[d]);
  c.out("Out", c.m.reshape(v, shape.empty() ? Shape{1} : shape));
}

Integers numbers(Call &c, const char *attribute, const char *slot) {
  return c.has(slot) ? c.constants(slot) : c.integers(attribute);
}

void slice(Call &c) {
  Value x = c.in("Input");
  const auto axes = c.integers("axes"), starts = numbers(c, "starts", "StartsTensor"),
             ends = numbers(c, "ends", "EndsTensor");
  auto steps = numbers(c, "strides", "StridesTensor");
  steps.resize(axes.size(), 1);
  if (starts.size() != axes.size() || ends.size() != axes.size())
    c.fail("it has ", axes.size(), " axes, ", starts.size(), " starts and ", ends.size(), " ends.");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (steps[i] == 0)
      c.fail("a stride of 0 goes nowhere.");
    const auto axis = c.positive(axes[i], c.rank(x)), n = c.shapeOf(x)[std::size_t(axis)];
    auto from = starts[i] < 0 ? starts[i] + n : starts[i], to = ends[i] < 0 ? ends[i] + n : ends[i];
    if (steps[i] > 0) {
      from = std::clamp<std::int64_t>(from, 0, n);
      to = std::clamp<std::int64_t>(to, from, n);
    } else { // backwards; "before the first" is told apart from "the last but ..."
      from = std::clamp<std::int64_t>(from, -1, n - 1);
      to = std::clamp<std::int64_t>(to, -1, from);
      to = to == -1 ? std::numeric_limits<std::int32_t>::min() : to;
    }
    x = c.slice(x, axis, from, to, steps[i]);
  }
  outSliced(c, x);
}

void flip(Call &c) {
  Value x = c.in("X");
  for (auto a : c.integers("axis")) {
    const auto axis = c.positive(a, c.rank(x));
    x = c.slice(x, axis, c.shapeOf(x)[std::size_t(axis)] - 1,
                std::numeric_limits<std::int32_t>::min(), -1);
  }
  c.out("Out", x);
}

Value repeatedBy(const Call &c, Value x, Integers times) {
  while (times.size() < c.rank(x))
    times.insert(times.begin(), 1);
  Shape shape = c.shapeOf(x);
  while (shape.size() < times.size())
    shape.insert(shape.begin(), 1);
  return c.m.op("Tile", {c.m.reshape(x, shape)}, {{"repeats", times}});
}
void tile(Call &c, const char *attribute, const char *slot) {
  c.out("Out", repeatedBy(c, c.in("X"), numbers(c, attribute, slot)));
}
Value expanded(const Call &c, Value x, Shape to) {
  const Shape &from = c.shapeOf(x);
  if (to.size() < from.size())
    c.fail("X of shape ", popart::ir::text(from), " cannot become ", popart::ir::text(to), ".");
  for (std::size_t d = 0; d < from.size(); ++d) {
    auto &wanted = to[to.size() - 1 - d];
    const auto own = from[from.size() - 1 - d];
    if (wanted == -1)
      wanted = own;
    if (own != wanted && own != 1)
      c.fail("X of shape ", popart::ir::text(from), " cannot become ", popart::ir::text(to),
             ": dimension of ", own, ".");
  }
  return c.m.expand(x, to);
}
void meshgrid(Call &c) {
  const Values all = c.ins("X");
  Shape shape;
  for (Value v : all)
    shape.push_back(c.m.info(v).nelms());
  for (std::size_t i = 0; i < all.size(); ++i) {
    Shape own(shape.size(), 1);
    own[i] = shape[i];
    c.out("Out", c.m.expand(c.m.reshape(all[i], own), shape), i);
  }
}

} // namespace

void addJoins(Registry &r) {
  r.add("concat", concat);
  r.add("split", split);
  r.add("stack", stack);
  r.add("unstack", unstack);
  r.add("slice", slice);
  r.add("strided_slice", slice);
  r.add("flip", flip);
  r.add("tile", [](Call &c) { tile(c, "repeat_times", "RepeatTimes"); });
  r.add("expand", [](Call &c) { tile(c, "expand_times", "ExpandTimes"); });
  r.add("expand_v2",
        [](Call &c) { c.out("Out", expanded(c, c.in("X"), numbers(c, "shape", "Shape"))); });
  r.add("expand_as_v2", [](Call &c) {
    c.out("Out",
          expanded(c, c.in("X"), c.has("Y") ? c.shapeOf(c.in("Y")) : c.integers("target_shape")));
  });
  r.add("meshgrid", meshgrid);
}

} // namespace paddleipu
