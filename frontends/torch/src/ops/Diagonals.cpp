// SPDX-License-Identifier: MIT
// Diagonals of matrices, matrices of diagonals, and triangles.
#include "core/Places.hpp"
#include <algorithm>

namespace poptorch {

namespace {

struct Planes {
  std::int64_t first, second; // the dimensions of the matrices
};
Planes planesOf(Call &c, std::size_t rank) {
  if (!c.has("dim1"))
    return {0, 1};
  return {c.axis("dim1", rank), c.axis("dim2", rank)};
}

// Diagonals of [..., rows, columns] as [..., n]: every (columns + 1)-th element of a row-major
// matrix.
Value diagonalOf(Call &c, Value x, std::int64_t offset) {
  Shape shape = c.shapeOf(x);
  const auto columns = shape.back(), rows = shape[shape.size() - 2];
  const auto n = std::max<std::int64_t>(std::min(rows + std::min<std::int64_t>(offset, 0),
                                                 columns - std::max<std::int64_t>(offset, 0)),
                                        0);
  shape.pop_back();
  shape.back() = rows * columns;
  const auto begin = n == 0 ? 0 : offset >= 0 ? offset : -offset * columns;
  const auto end = n == 0 ? 0 : begin + (n - 1) * (columns + 1) + 1;
  const auto axis = std::int64_t(shape.size()) - 1;
  return c.slice(c.m.reshape(x, shape), axis, begin, end, columns + 1);
}

Values diagonal(Call &c) {
  const Value x = c.in("self");
  const auto [first, second] = planesOf(c, c.rank(x));
  const Value planes = c.m.transpose(x, toBack({first, second}, c.rank(x)));
  return {diagonalOf(c, planes, c.integer("offset", 0))};
}

Value kept(Call &c, std::int64_t n, std::int64_t offset) {
  Integers mask;
  for (std::int64_t r = 0; r < n; ++r)
    for (std::int64_t k = 0; k < n; ++k)
      mask.push_back(k - r == offset);
  return c.m.constant(HostTensor::fromIntegers({DataType::BOOL, {n, n}}, mask));
}

// [..., n] -> [..., n + |offset|, n + |offset|]: the vector along rows or columns, whichever the
// diagonal begins with, where the diagonal is.
Value embedded(Call &c, Value x, std::int64_t offset) {
  Shape pad = c.shapeOf(x);
  const auto axis = std::int64_t(pad.size()) - 1;
  const auto n = pad.back() + std::abs(offset);
  pad.back() = std::abs(offset);
  if (offset)
    x = c.concat({x, c.full(pad, 0, c.m.type(x))}, axis);
  const Value spread = c.unsqueeze(x, offset >= 0 ? axis + 1 : axis);
  return c.m.where(kept(c, n, offset), spread, c.m.scalar(0, x));
}

Values diagEmbed(Call &c) {
  const auto rank = c.shape().size();
  const auto [first, second] = planesOf(c, rank);
  const Value y = embedded(c, c.in("self"), c.integer("offset", 0));
  return {c.m.transpose(y, inverse(toBack({first, second}, rank)))};
}

Values diag(Call &c) {
  const Value x = c.in("self");
  const auto offset = c.integer("diagonal", 0);
  return {c.rank(x) == 1 ? embedded(c, x, offset) : diagonalOf(c, x, offset)};
}

// self with its diagonals replaced
Values diagonalScatter(Call &c) {
  const Value x = c.in("self");
  const auto [first, second] = planesOf(c, c.rank(x));
  const auto order = toBack({first, second}, c.rank(x));
  const auto offset = c.integer("offset", 0);
  Shape shape;
  Integers strides;
  for (auto d : order) {
    shape.push_back(c.shapeOf(x)[std::size_t(d)]);
    strides.push_back(rowMajorStrides(c.shapeOf(x))[std::size_t(d)]);
  }
  const auto begin = offset >= 0 ? offset * strides.back() : -offset * strides[strides.size() - 2];
  strides[strides.size() - 2] += strides.back();
  strides.pop_back();
  const Value src = c.cast(c.in("src"), c.m.type(x));
  return {withElements(c, x, stridedOffsets(c.shapeOf(src), strides, begin), src)};
}

// Zero below or above a diagonal.
Values triangle(Call &c, bool upper) {
  return {c.m.op("Trilu", {c.in("self")},
                 {{"k", c.integer("diagonal", 0)}, {"upper", std::int64_t(upper)}})};
}

// The sum of a matrix's diagonal.
Values trace(Call &c) {
  const Value x = c.cast(c.in("self"), c.type());
  return {c.reduce("ReduceSum", diagonalOf(c, x, 0), {0}, false)};
}

} // namespace

void addDiagonals(Registry &r) {
  r.add("diagonal", diagonal);
  r.add("diagonal_copy", diagonal);
  r.add("diag_embed", diagEmbed);
  r.add("diag", diag);
  r.add("diagonal_scatter", diagonalScatter);
  r.add("tril", [](Call &c) { return triangle(c, false); });
  r.add("triu", [](Call &c) { return triangle(c, true); });
  r.add("trace", trace);
}

} // namespace poptorch
