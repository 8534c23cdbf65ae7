// SPDX-License-Identifier: MIT
// MaxRoiPool: regions of pictures, each cut into a grid of bins, and the largest element of every
// bin. Where bins begin and end depends on the data, so the largest of whole rows and columns are
// taken, with what lies outside the bin masked; an empty bin gives 0. Regions get no gradient.
#include "ops/shared/elementwise.hpp"
#include <limits>
#include <numeric>

namespace popart::ops {

namespace {

constexpr std::int64_t mostBins = 1024; // each is some nodes

// The bins of all regions along one axis: first and past-the-end pixel, [R, bins].
struct Bins {
  Value begin, end;
};

Bins binsOf(GraphBuilder &b, Value first, Value last, std::int64_t bins, std::int64_t size) {
  const Value length = b.add(b.sub(last, first), 1);
  const Value each = b.mul(b.op("Max", {length, b.scalar(1, length)}), 1 / double(bins));
  std::vector<double> numbers(std::size_t(bins), 0);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Value number = b.constant(HostTensor::fromDoubles({b.type(first), {1, bins}}, numbers));
  const auto inside = [&](Value v) {
    const Value at = b.add(v, first);
    return b.op("Clip", {at, b.scalar(0, at), b.scalar(double(size), at)});
  };
  return {inside(b.op("Floor", {b.mul(each, number)})),
          inside(b.op("Ceil", {b.mul(each, b.add(number, 1))}))};
}

// Of v [R,C,a,n,c] the largest along n of every bin: [R,C,a,bins,c].
Value largest(GraphBuilder &b, Value v, const Bins &bins) {
  const Shape shape = b.shape(v);
  const std::int64_t regions = shape[0], n = shape[3], count = b.shape(bins.begin)[1];
  std::vector<double> numbers(std::size_t(n), 0);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Value pixel = b.constant(HostTensor::fromDoubles({b.type(v), {1, 1, 1, n, 1}}, numbers));
  const Value lowest = b.scalar(
      b.type(v) == DataType::FLOAT16 ? -65504.0 : double(std::numeric_limits<float>::lowest()), v);
  Values parts;
  for (std::int64_t k = 0; k < count; ++k) { // one by one: all masked copies at once are large
    const auto edge = [&](Value all) {
      const Value one =
          b.op("Slice", {all},
               {{"starts", Integers{k}}, {"ends", Integers{k + 1}}, {"axes", Integers{1}}});
      return b.reshape(one, {regions, 1, 1, 1, 1});
    };
    const Value isIn = b.op("And", {b.op("GreaterOrEqual", {pixel, edge(bins.begin)}),
                                    b.op("Less", {pixel, edge(bins.end)})});
    parts.push_back(b.op("ReduceMax", {b.where(isIn, v, lowest)},
                         {{"axes", Integers{3}}, {"keepdims", std::int64_t(1)}}));
  }
  return parts.size() == 1 ? parts[0] : b.op("Concat", parts, {{"axis", std::int64_t(3)}});
}

Values decompose(GraphBuilder &b, const OpView &op) {
  requireFloat(op);
  const auto pooled = op.integers("pooled_shape");
  if (op.in(0).rank() != 4 || op.in(1).rank() != 2 || op.in(1).dim(1) != 5 ||
      op.in(1).type() != op.in(0).type())
    op.fail("X ", op.in(0).info(), " and rois ", op.in(1).info(),
            " must be [batch, channels, height, width] and [n, 5], of one type.");
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1)
    op.fail("pooled_shape ", ir::text(pooled), " must be height and width, each at least 1.");
  if (pooled[0] > mostBins || pooled[1] > mostBins)
    op.fail("pooled_shape ", ir::text(pooled), " has more than ", mostBins, " bins in a row.");
  const Shape x = op.in(0).shape();
  const std::int64_t n = op.in(1).dim(0);
  auto edge = b.ops("Split", {op.in(1)}, 5,
                    {{"axis", std::int64_t(1)}, {"split", Integers{1, 1, 1, 1, 1}}});
  for (std::size_t i = 1; i < 5; ++i) // x1, y1, x2, y2 rounded to pixels
    edge[i] = b.op("Floor", {b.add(b.mul(edge[i], op.real("spatial_scale", 1)), 0.5)});
  const Bins rows = binsOf(b, edge[2], edge[4], pooled[0], x[2]),
             columns = binsOf(b, edge[1], edge[3], pooled[1], x[3]);
  const Value picture = b.reshape(b.cast(edge[0], DataType::INT32), {n});
  const Value own = b.op("Gather", {op.in(0), picture}, {{"axis", std::int64_t(0)}});
  const Value down = largest(b, b.reshape(own, {n, x[1], 1, x[2], x[3]}), rows);
  const Value both =
      largest(b, b.reshape(down, {n, x[1], pooled[0], x[3], 1}), columns); // [n,C,ph,pw,1]
  const Value isFull =
      b.op("And", {b.reshape(b.op("Less", {rows.begin, rows.end}), {n, 1, pooled[0], 1}),
                   b.reshape(b.op("Less", {columns.begin, columns.end}), {n, 1, 1, pooled[1]})});
  const Value y = b.reshape(both, {n, x[1], pooled[0], pooled[1]});
  return {b.where(isFull, y, b.scalar(0, y))};
}

} // namespace

OpDef maxroipoolOp() {
  OpDef op;
  op.type = "MaxRoiPool";
  op.doc = "The largest element of every bin of regions of interest.";
  op.in = {2, 2};
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
