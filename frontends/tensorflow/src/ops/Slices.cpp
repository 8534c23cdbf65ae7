// SPDX-License-Identifier: MIT
// Parts of tensors: slices by fixed bounds or from a place known at run time, rows, one-hot rows.
#include "core/Conversion.hpp"
#include "frontend/Indices.hpp"
#include <algorithm>

namespace tensorflow {

namespace {

using frontend::checkedIndices;
using frontend::checkedPlaces;

// Bounds for every dimension as numbers; dimensions of `shrink` are taken out, -1 in `begin`
// positions of `fresh` are new ones. Attributes, since Python has resolved them.
Values stridedSlice(Call &c) {
  Value x = c.in(0);
  const auto begin = c.list("begin"), end = c.list("end"), step = c.list("strides");
  for (std::size_t d = 0; d < begin.size(); ++d) {
    if (step[d] >= 0) {
      x = c.slice(x, std::int64_t(d), begin[d], end[d], step[d]);
      continue;
    }
    Integers at;
    for (auto i = begin[d]; i > end[d]; i += step[d])
      at.push_back(i);
    x = c.m.op("Gather", {x, c.numbers(at)}, {{"axis", std::int64_t(d)}});
  }
  return {x};
}

// Inputs: begin and size, which must be known if begin is.
Values slice(Call &c) {
  Value x = c.in(0);
  const auto size = c.integers(2);
  if (c.m.valuesOf(c.in(1))) {
    const auto begin = c.integers(1);
    for (std::size_t d = 0; d < begin.size(); ++d)
      x = c.slice(x, std::int64_t(d), begin[d], size[d] < 0 ? c.shapeOf(x)[d] : begin[d] + size[d]);
    return {x};
  }
  const Value begin = c.cast(c.in(1), DataType::INT32);
  for (std::size_t d = 0; d < size.size(); ++d) {
    const auto n = c.shapeOf(x)[d], wanted = size[d];
    if (wanted < 0)
      c.fail("a size of -1 needs a begin that is known when the graph is built.");
    if (wanted == n)
      continue;
    const Value first =
        checkedIndices(c, c.slice(begin, 0, std::int64_t(d), std::int64_t(d) + 1),
                       std::max<std::int64_t>(n - wanted, 0) + 1, describe(c.node()));
    const Value at = c.m.add(c.iota(wanted), first);
    x = c.m.op("Gather", {x, at}, {{"axis", std::int64_t(d)}});
  }
  return {x};
}

// The first `batch` dimensions of table and indices go together: all tables become one, and indices
// those of its rows.
Value gatherOfBatches(Call &c, Value x, Value at, std::size_t axis, std::size_t batch) {
  const Shape table = c.shapeOf(x), indices = c.shapeOf(at);
  std::vector<std::int64_t> order; // the axis behind the batches
  for (std::size_t d = 0; d < table.size(); ++d)
    if (d != axis)
      order.push_back(std::int64_t(d));
  order.insert(order.begin() + std::ptrdiff_t(batch), std::int64_t(axis));
  Shape flat{1}, first(indices.size() - batch + 1, 1);
  for (std::size_t d = 0; d < batch; ++d)
    first[0] *= table[d];
  flat[0] = first[0] * table[axis];
  for (std::size_t d = batch + 1; d < order.size(); ++d)
    flat.push_back(table[std::size_t(order[d])]);
  Shape together(indices.begin() + std::ptrdiff_t(batch), indices.end());
  together.insert(together.begin(), first[0]);
  const Value starts = c.m.reshape(c.m.mul(c.iota(first[0]), double(table[axis])), first);
  const Value rows = c.m.op(
      "Gather",
      {c.m.reshape(c.m.transpose(x, order), flat), c.m.add(c.m.reshape(at, together), starts)},
      {{"axis", std::int64_t(0)}});
  // [batch, indices, before the axis, behind it] -> [batches, before, indices, behind]
  const auto outer = axis - batch, inner = indices.size() - batch;
  std::vector<std::int64_t> back{0};
  for (std::size_t d = 0; d < outer; ++d)
    back.push_back(std::int64_t(1 + inner + d));
  for (std::size_t d = 0; d < inner; ++d)
    back.push_back(std::int64_t(1 + d));
  for (std::size_t d = 1 + inner + outer; d < 1 + inner + flat.size() - 1; ++d)
    back.push_back(std::int64_t(d));
  Shape out(table.begin(), table.begin() + std::ptrdiff_t(axis));
  out.insert(out.end(), indices.begin() + std::ptrdiff_t(batch), indices.end());
  out.insert(out.end(), table.begin() + std::ptrdiff_t(axis) + 1, table.end());
  return c.m.reshape(c.m.transpose(rows, back), out);
}

// Inputs: the table, indices, the axis.
Values gather(Call &c) {
  const Value x = c.in(0);
  const auto axis = c.has(2) ? c.axis(2, c.rank(x)) : 0;
  const auto batch = c.integer("batch_dims", 0);
  const auto extent = c.rank(x) ? c.shapeOf(x)[std::size_t(axis)] : 1;
  const Value at = c.flag("from_end") // which is how PopART has them
                       ? c.cast(c.in(1), DataType::INT32)
                       : checkedIndices(c, c.in(1), extent, describe(c.node()));
  if (batch == 0)
    return {c.m.op("Gather", {x, at}, {{"axis", axis}})};
  if (batch < 0 || std::size_t(batch) > c.rank(at) || axis < batch)
    c.fail("batch_dims must be at most the rank of the indices, and the axis.");
  return {gatherOfBatches(c, x, at, std::size_t(axis), std::size_t(batch))};
}

Values gatherNd(Call &c) {
  const Value x = c.in(0);
  const auto batch = c.integer("batch_dims", 0);
  const Value at = checkedPlaces(c, c.in(1), c.shapeOf(x), std::size_t(batch), describe(c.node()));
  return {c.m.op("GatherND", {x, at}, {{"batch_dims", batch}})};
}

// Inputs: indices, the depth, on, off.
Values oneHot(Call &c) {
  const Value on = c.in(2), off = c.in(3);
  const auto axis = c.integer("axis", -1);
  const Value both = c.concat({c.m.reshape(off, {1}), c.m.reshape(on, {1})}, 0);
  return {c.m.op("OneHot", {frontend::hotIndices(c, c.in(0)), both},
                 {{"axis", axis}, {"depth", c.integers(1).at(0)}})};
}

// Inputs: the tensor, indices [n, k], new rows.
Converter scatter(const char *reduction) {
  return [reduction](Call &c) -> Values {
    const Value x = c.in(0);
    const Value at = checkedPlaces(c, c.in(1), c.shapeOf(x), 0, describe(c.node()));
    return {c.m.op("ScatterND", {x, at, c.in(2)}, {{"reduction", std::string(reduction)}})};
  };
}

// Inputs: data, the segment of each row; attribute num_segments.
Values segmentSum(Call &c) {
  const Value rows = c.in(0);
  Shape shape = c.shapeOf(rows);
  shape[0] = c.integer("num_segments");
  const Value at = c.unsqueeze(c.cast(c.in(1), DataType::INT32), 1);
  return {c.m.op("ScatterND", {c.full(shape, 0, c.m.type(rows)), at, rows},
                 {{"reduction", std::string("add")}})};
}

} // namespace

void addSlices(Registry &r) {
  r.add("StridedSlice", stridedSlice);
  r.add("Slice", slice);
  r.add("GatherV2", gather);
  r.add("GatherNd", gatherNd);
  r.add("OneHot", oneHot);
  r.add("TensorScatterUpdate", scatter("none"));
  r.add("TensorScatterAdd", scatter("add"));
  r.add("UnsortedSegmentSum", segmentSum);
}

} // namespace tensorflow
