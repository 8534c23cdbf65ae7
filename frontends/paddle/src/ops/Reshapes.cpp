// SPDX-License-Identifier: MIT
// The same elements in other shapes. XShape stands in programs for Paddle's own gradients: [0,
// shape of X].
#include "core/Call.hpp"
#include <algorithm>
#include <numeric>

namespace paddleipu {

namespace {

void out(Call &c, Value x, Value y) {
  c.out("Out", y);
  if (!c.wants("XShape"))
    return;
  Shape shape = c.shapeOf(x);
  shape.insert(shape.begin(), 0);
  c.out("XShape", c.full(shape, 0, c.m.type(x)), 0, c.typeIn("X"));
}

// 0 is that of X, and one -1 is what is left.
Shape resolved(const Call &c, const Shape &from, Shape to) {
  std::int64_t known = 1;
  auto open = to.end();
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (to[d] == 0 && d >= from.size())
      c.fail("its shape ", popart::ir::text(to), " takes dimension ", d,
             " from X, which has none.");
    if (to[d] == 0)
      to[d] = from[d];
    if (to[d] == -1 && open != to.end())
      c.fail("its shape ", popart::ir::text(to), " has more than one unknown extent.");
    if (to[d] == -1)
      open = to.begin() + std::ptrdiff_t(d);
    else
      known *= to[d];
  }
  const auto all = popart::ir::elementsOf(from);
  if (open != to.end())
    *open = known ? all / known : 0;
  if (popart::ir::elementsOf(to) != all)
    c.fail("X of shape ", popart::ir::text(from), " has not as many elements as the shape ",
           popart::ir::text(to), ".");
  return to;
}

void reshape(Call &c) {
  const Value x = c.in("X");
  Shape to = c.integers("shape");
  if (c.has("Shape"))
    to = c.constants("Shape");
  else if (c.has("ShapeTensor")) {
    to.clear();
    for (std::size_t i = 0; i < c.count("ShapeTensor"); ++i)
      to.push_back(c.constants("ShapeTensor", i).at(0));
  }
  out(c, x, c.m.reshape(x, resolved(c, c.shapeOf(x), to)));
}

std::int64_t extent(const Shape &shape, std::size_t from, std::size_t to) {
  return std::accumulate(shape.begin() + std::ptrdiff_t(from), shape.begin() + std::ptrdiff_t(to),
                         std::int64_t(1), std::multiplies<>());
}
void flatten(Call &c) { // two dimensions
  const Value x = c.in("X");
  const Shape s = c.shapeOf(x);
  const auto axis = std::size_t(c.integer("axis", 1));
  if (axis > s.size())
    c.fail("axis ", axis, " is not one of X, which has shape ", popart::ir::text(s), ".");
  out(c, x, c.m.reshape(x, {extent(s, 0, axis), extent(s, axis, s.size())}));
}
void flattenRange(Call &c) {
  const Value x = c.in("X");
  const Shape s = c.shapeOf(x);
  const auto from = std::size_t(c.axis("start_axis", 1, s.size())),
             to = std::size_t(c.axis("stop_axis", -1, s.size()));
  if (to < from)
    c.fail("stop_axis ", to, " stands before start_axis ", from, ".");
  Shape shape(s.begin(), s.begin() + std::ptrdiff_t(from));
  shape.push_back(extent(s, from, to + 1));
  shape.insert(shape.end(), s.begin() + std::ptrdiff_t(to) + 1, s.end());
  out(c, x, c.m.reshape(x, shape));
}

void squeeze(Call &c) {
  const Value x = c.in("X");
  const Shape s = c.shapeOf(x);
  Integers axes = c.integers("axes");
  for (auto &a : axes)
    a = c.positive(a, s.size());
  Shape shape;
  for (std::size_t d = 0; d < s.size(); ++d)
    if (s[d] != 1 ||
        (!axes.empty() && std::find(axes.begin(), axes.end(), std::int64_t(d)) == axes.end()))
      shape.push_back(s[d]);
  if (shape.empty())
    shape = {1};
  out(c, x, c.m.reshape(x, shape));
}
void unsqueeze(Call &c) { // one after the other
  const Value x = c.in("X");
  Shape shape = c.shapeOf(x);
  const auto axes = c.has("AxesTensor") ? c.constants("AxesTensor") : c.integers("axes");
  for (auto a : axes)
    shape.insert(shape.begin() + c.positive(a, shape.size() + 1), 1);
  out(c, x, c.m.reshape(x, shape));
}
void transpose(Call &c) {
  const Value x = c.in("X");
  Integers axes = c.integers("axis");
  for (auto &a : axes)
    a = c.positive(a, c.rank(x));
  auto sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t d = 0; d < c.rank(x); ++d)
    if (sorted.size() != c.rank(x) || sorted[d] != std::int64_t(d))
      c.fail("axis ", popart::ir::text(axes), " does not name each of the ", c.rank(x),
             " dimensions of X once.");
  out(c, x, c.m.transpose(x, axes));
}

void shape(Call &c) {
  const Shape s = c.shapeOf(c.in("Input"));
  c.out("Out",
        c.m.constant(HostTensor::fromIntegers({DataType::INT32, {std::int64_t(s.size())}}, s)), 0,
        VarType::INT32);
}

} // namespace

void addReshapes(Registry &r) {
  for (const char *name : {"reshape", "reshape2"})
    r.add(name, reshape);
  for (const char *name : {"flatten", "flatten2"})
    r.add(name, flatten);
  r.add("flatten_contiguous_range", flattenRange);
  for (const char *name : {"squeeze", "squeeze2"})
    r.add(name, squeeze);
  for (const char *name : {"unsqueeze", "unsqueeze2"})
    r.add(name, unsqueeze);
  for (const char *name : {"transpose", "transpose2"})
    r.add(name, transpose);
  r.add("shape", shape);
}

} // namespace paddleipu
