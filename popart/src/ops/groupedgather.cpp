// SPDX-License-Identifier: MIT
// GroupedGather: a Gather for every entry of a leading group dimension, each with its own indices.
// The groups become one table: group g begins at entry g * n.
#include "opdef/importing.hpp"
#include "ops/shared/hostviews.hpp"
#include "ops/shared/lookups.hpp"

namespace popart::ops {

namespace {

// Index + group * n, with negative indices wrapped first.
Value acrossGroups(GraphBuilder &b, Value indices, std::int64_t groups, std::int64_t n) {
  Shape shape(b.shape(indices).size(), 1);
  shape[0] = groups;
  Integers starts;
  for (std::int64_t g = 0; g < groups; ++g)
    starts.push_back(g * n);
  const Value start = b.constant(HostTensor::fromIntegers({b.type(indices), shape}, starts));
  if (b.type(indices) != DataType::UINT32) {
    const Value negative = b.op("Greater", {b.scalar(0, indices), indices});
    indices = b.where(negative, b.add(indices, double(n)), indices);
  }
  return b.add(indices, start);
}

Values decompose(GraphBuilder &b, const OpView &op) {
  requireIndices(op, 1);
  const std::int64_t groups = op.integer("group_size", 1);
  const auto x = op.in(0), indices = op.in(1);
  const std::int64_t axis = op.axis("axis", 0, x.rank());
  if (groups == 1)
    return {b.op("Gather", {x, indices}, {{"axis", axis}})};
  if (groups < 1 || axis == 0)
    op.fail("axis is ", axis, " and group_size ", groups,
            "; dimension 0 is that of the groups, so the axis must be another one.");
  if (x.rank() < 2 || indices.rank() < 1 || x.dim(0) != groups || indices.dim(0) != groups)
    op.fail("data of shape ", ir::text(x.shape()), " and indices of shape ",
            ir::text(indices.shape()), " must begin with the ", groups, " groups.");
  const std::int64_t n = x.dim(axis);
  // [groups, ..., n, ...] -> [groups * n, ...]
  Integers front{0, axis};
  Shape rest;
  for (std::int64_t d = 1; d < x.rank(); ++d)
    if (d != axis) {
      front.push_back(d);
      rest.push_back(x.dim(d));
    }
  Shape table = rest;
  table.insert(table.begin(), groups * n);
  const Value rows =
      b.op("Gather", {b.reshape(b.transpose(x, front), table), acrossGroups(b, indices, groups, n)},
           {{"axis", std::int64_t(0)}});
  // [groups, index..., rest...] -> [groups, rest before the axis, index..., rest after it]
  const std::int64_t before = axis - 1, wide = indices.rank() - 1;
  Integers back{0};
  for (std::int64_t d = 0; d < before; ++d)
    back.push_back(1 + wide + d);
  for (std::int64_t d = 0; d < wide; ++d)
    back.push_back(1 + d);
  for (std::int64_t d = before; d < std::int64_t(rest.size()); ++d)
    back.push_back(1 + wide + d);
  return {b.transpose(rows, back)};
}

} // namespace

OpDef groupedgatherOp() {
  OpDef op;
  op.type = "GroupedGather";
  op.domain = "ai.graphcore";
  op.doc = "A Gather for every group.";
  op.in = {2, 2};
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
