// SPDX-License-Identifier: MIT
// Elements in another order along their dimensions: flip, roll, rot90, and any strided view.
#include "core/Places.hpp"
#include <algorithm>
#include <cstdint>

namespace poptorch {

namespace {

Value flipped(Call &c, Value x, const Integers &axes) {
  if (axes.empty())
    return x;
  return c.m.op("Slice", {x},
                {{"axes", axes},
                 {"starts", Integers(axes.size(), INT64_MAX)},
                 {"ends", Integers(axes.size(), INT64_MIN)},
                 {"steps", Integers(axes.size(), -1)}});
}

Values flip(Call &c) {
  const Value x = c.in("self");
  return {c.integers("dims").empty() ? x : flipped(c, x, c.axes("dims", c.rank(x)))};
}

// y[(i + shift) mod n] = x[i]
Value rolled(Call &c, Value x, std::int64_t axis, std::int64_t shift) {
  const auto n = c.shapeOf(x)[std::size_t(axis)];
  const auto first = n ? ((-shift) % n + n) % n : 0;
  if (first == 0)
    return x;
  return c.concat({c.slice(x, axis, first, n), c.slice(x, axis, 0, first)}, axis);
}

Values roll(Call &c) {
  Value x = c.in("self");
  const auto shifts = c.integers("shifts"), dims = c.integers("dims");
  if (dims.empty())
    return {c.m.reshape(rolled(c, flat(c, x), 0, shifts.at(0)), c.shape())};
  x = asVector(c, x);
  for (std::size_t i = 0; i < dims.size(); ++i)
    x = rolled(c, x, dims[i] < 0 ? dims[i] + std::int64_t(c.rank(x)) : dims[i], shifts.at(i));
  return {c.m.reshape(x, c.shape())};
}

// k quarter turns from the first dimension towards the second.
Values rot90(Call &c) {
  Value x = c.in("self");
  auto dims = c.integers("dims");
  for (auto &d : dims)
    d += d < 0 ? std::int64_t(c.rank(x)) : 0;
  const auto k = (c.integer("k", 1) % 4 + 4) % 4;
  if (k == 2)
    return {flipped(c, x, dims)};
  if (k == 0)
    return {x};
  auto order = upTo(c.rank(x));
  std::swap(order[std::size_t(dims[0])], order[std::size_t(dims[1])]);
  return {k == 1 ? c.m.transpose(flipped(c, x, {dims[1]}), order)
                 : flipped(c, c.m.transpose(x, order), {dims[1]})};
}

// Where the elements of a strided view are in a tensor whose elements lie in order.
Integers stridedPlaces(Call &c, Value x) {
  const auto size = c.integers("size");
  const auto out = stridedOffsets(size, c.integers("stride"), c.integer("storage_offset", 0));
  const auto elements = count(c.shapeOf(x));
  for (auto i : out)
    if (i < 0 || i >= elements)
      c.fail("it sees elements outside of its tensor, which has ", elements, ".");
  return out;
}
// x[storage_offset + sum(i[d] * stride[d])]
Values asStrided(Call &c) {
  const Value x = c.in("self");
  return {elementsAt(c, x, stridedPlaces(c, x), c.shape())};
}
Values asStridedScatter(Call &c) {
  const Value x = c.in("self");
  return {withElements(c, x, stridedPlaces(c, x), c.cast(c.in("src"), c.m.type(x)))};
}

} // namespace

void addTurns(Registry &r) {
  r.add("flip", flip);
  r.add("roll", roll);
  r.add("rot90", rot90);
  r.add("as_strided", asStrided);
  r.add("as_strided_copy", asStrided);
  r.add("as_strided_scatter", asStridedScatter);
}

} // namespace poptorch
