// SPDX-License-Identifier: MIT
// Tensors side by side: cat, stack, block_diag; and one tensor several times: repeat,
// repeat_interleave.
#include "frontend/Joins.hpp"
#include "core/Places.hpp"
#include <algorithm>

namespace poptorch {

namespace {

// In the result's type; vectors of no elements join anything, as in torch.
Values cat(Call &c) {
  const auto rank = c.shape().size();
  Values parts;
  for (Value v : c.list("tensors"))
    if (c.shapeOf(v) != Shape{0} || rank == 1)
      parts.push_back(c.cast(v, c.type()));
  if (parts.empty())
    return {c.full(c.shape(), 0, c.type())};
  return {c.concat(parts, c.axis("dim", rank))};
}

Values stack(Call &c) {
  Values parts;
  for (Value v : c.list("tensors"))
    parts.push_back(c.cast(v, c.type()));
  return {frontend::stacked(c, parts, c.axis("dim", c.shape().size()))};
}

// Matrices along the diagonal, zeros elsewhere.
Values blockDiag(Call &c) {
  const auto columns = c.shape()[1];
  Values rows;
  std::int64_t before = 0;
  for (Value v : c.list("tensors")) {
    v = c.cast(v, c.type());
    if (c.rank(v) < 2)
      v = c.m.reshape(v, {1, count(c.shapeOf(v))});
    const auto height = c.shapeOf(v)[0], width = c.shapeOf(v)[1];
    const auto after = columns - before - width;
    rows.push_back(c.concat(
        {c.full({height, before}, 0, c.type()), v, c.full({height, after}, 0, c.type())}, 1));
    before += width;
  }
  return {c.concat(rows, 0)};
}

// The whole tensor again and again along every axis.
Values repeat(Call &c) {
  const auto repeats = c.integers("repeats");
  Value x = c.in("self");
  Shape shape = c.shapeOf(x);
  shape.insert(shape.begin(), repeats.size() - shape.size(), 1);
  x = c.m.reshape(x, shape);
  if (std::all_of(repeats.begin(), repeats.end(), [](auto n) { return n == 1; }))
    return {x};
  return {c.m.op("Tile", {x}, {{"repeats", repeats}})};
}

// Entry i of a dimension repeats[i] times in a row: their numbers.
Integers repeatedEntries(Call &c, Value repeats, std::int64_t entries) {
  const auto *known = c.m.valuesOf(repeats);
  if (!known)
    c.fail("how often entries are repeated must be known when the model is captured: its result "
           "has a fixed shape.");
  auto times = known->integers();
  if (times.size() == 1)
    times.resize(std::size_t(entries), times[0]);
  Integers out;
  for (std::size_t i = 0; i < times.size(); ++i)
    out.insert(out.end(), std::size_t(times[i]), std::int64_t(i));
  return out;
}

Values repeatInterleave(Call &c) {
  if (!c.has("self")) { // the numbers themselves
    const Value repeats = c.in("repeats");
    const auto entries = repeatedEntries(c, repeats, count(c.shapeOf(repeats)));
    return {numbers(c, {std::int64_t(entries.size())}, entries)};
  }
  Value x = c.in("self");
  x = c.has("dim") ? asVector(c, x) : flat(c, x);
  const auto axis = c.has("dim") ? c.axis("dim", c.rank(x)) : 0;
  const auto extent = c.shapeOf(x)[std::size_t(axis)];
  if (c.isTensor("repeats")) {
    const auto entries = repeatedEntries(c, c.in("repeats"), extent);
    return {c.m.op("Gather", {x, numbers(c, {std::int64_t(entries.size())}, entries)},
                   {{"axis", axis}})};
  }
  Shape wide = c.shapeOf(x), shape = wide;
  wide.insert(wide.begin() + axis + 1, c.integer("repeats"));
  shape[std::size_t(axis)] *= c.integer("repeats");
  return {c.m.reshape(c.broadcast(c.unsqueeze(x, axis + 1), wide), shape)};
}

} // namespace

void addJoins(Registry &r) {
  r.add("cat", cat);
  r.add("stack", stack);
  r.add("_stack", stack);
  r.add("block_diag", blockDiag);
  r.add("repeat", repeat);
  r.add("repeat_interleave", repeatInterleave);
}

} // namespace poptorch
