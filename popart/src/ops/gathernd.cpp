// SPDX-License-Identifier: MIT
// GatherND: slices of a tensor at index vectors along the last dimension of the indices. Leading
// batch dimensions, which index themselves, become parts of the vectors first.
//   dx = the slices of dy added up where they came from
#include "opdef/graphbuilder.hpp"
#include "ops/shared/hostviews.hpp"
#include "ops/shared/lookups.hpp"

namespace popart::ops {

namespace {

// Vectors with the place in the batch dimensions before the given ones.
Value withBatch(GraphBuilder &b, const OpView &op, std::int64_t batch) {
  const Shape indices = op.in(1).shape();
  Values columns;
  for (std::int64_t d = 0; d < batch; ++d) {
    Shape shape = indices;
    shape.back() = 1;
    Integers strides(shape.size(), 0);
    strides[std::size_t(d)] = 1;
    columns.push_back(b.constant(
        HostTensor::fromIntegers({op.in(1).type(), shape}, viewOffsets(shape, 0, strides))));
  }
  columns.push_back(op.in(1));
  return b.op("Concat", columns, {{"axis", std::int64_t(indices.size()) - 1}});
}

Values decompose(GraphBuilder &b, const OpView &op) {
  requireIndices(op, 1);
  const Shape &x = op.in(0).shape(), &indices = op.in(1).shape();
  const std::int64_t batch = op.integer("batch_dims", 0);
  if (indices.empty() || x.empty() || batch < 0 ||
      batch >= std::min<std::int64_t>(op.in(0).rank(), op.in(1).rank()))
    op.fail("data of shape ", ir::text(x), " and indices of shape ", ir::text(indices),
            " must have more dimensions than batch_dims, ", batch, ".");
  if (indices.back() < 1 || batch + indices.back() > op.in(0).rank())
    op.fail("index vectors of ", indices.back(), " entries do not point into ", ir::text(x),
            " after ", batch, " batch dimensions.");
  for (std::size_t d = 0; d < std::size_t(batch); ++d)
    if (x[d] != indices[d])
      op.fail("batch dimension ", d, " is ", x[d], " in data and ", indices[d], " in indices.");
  const Value vectors = batch ? withBatch(b, op, batch) : Value(op.in(1));
  return {b.op("GatherVectors", {op.in(0), vectors})};
}

} // namespace

OpDef gatherndOp() {
  OpDef op;
  op.type = "GatherND";
  op.doc = "Slices of a tensor at index vectors.";
  op.in = {2, 2};
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
