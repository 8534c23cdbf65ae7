// SPDX-License-Identifier: MIT
// ReverseSequence: of every batch entry, the first `length` steps in reverse order, the rest as
// they are. Steps and batch entries become rows of one table, looked up once.
#include "opdef/importing.hpp"
#include "ops/shared/hostviews.hpp"
#include "ops/shared/lookups.hpp"

namespace popart::ops {

namespace {

// Row of the table [time * batch] that step t of entry b comes from: INT [time, batch].
Value rows(GraphBuilder &b, Value lengths, std::int64_t time, std::int64_t batch) {
  const DataType type = b.type(lengths);
  const auto counting = [&](const Shape &shape, const Integers &strides) {
    return b.constant(HostTensor::fromIntegers({type, shape}, viewOffsets(shape, 0, strides)));
  };
  const Value t = counting({time, 1}, {1, 0}), entry = counting({1, batch}, {0, 1});
  const Value one = b.scalar(1, lengths);
  const Value mirrored = b.sub(b.sub(lengths, one), t);
  const Value from = b.where(b.op("Greater", {lengths, t}), mirrored, t);
  return b.add(b.mul(from, b.scalar(double(batch), lengths)), entry);
}

Values decompose(GraphBuilder &b, const OpView &op) {
  const auto x = op.in(0);
  requireIndices(op, 1);
  const std::int64_t batchAxis = op.integer("batch_axis", 1), timeAxis = op.integer("time_axis", 0);
  if (x.rank() < 2 || batchAxis + timeAxis != 1 || batchAxis * timeAxis != 0)
    op.fail("data of shape ", ir::text(x.shape()), ", batch_axis ", batchAxis, " and time_axis ",
            timeAxis, ": the axes must be 0 and 1, in either order.");
  const std::int64_t batch = x.dim(batchAxis), time = x.dim(timeAxis);
  if (op.in(1).shape() != Shape{batch})
    op.fail("sequence_lens has shape ", ir::text(op.in(1).shape()), "; it must be [", batch,
            "], one length per batch entry.");
  Integers swap;
  for (std::int64_t d = 0; d < x.rank(); ++d)
    swap.push_back(d < 2 && timeAxis == 1 ? 1 - d : d);
  const Value steps = b.transpose(x, swap); // [time, batch, ...]
  const Shape shape = b.shape(steps);
  Shape table(shape.begin() + 2, shape.end());
  table.insert(table.begin(), time * batch);
  const Value index = b.reshape(rows(b, op.in(1), time, batch), {time * batch});
  const Value picked =
      b.op("Gather", {b.reshape(steps, table), index}, {{"axis", std::int64_t(0)}});
  return {b.transpose(b.reshape(picked, shape), swap)};
}

} // namespace

OpDef reversesequenceOp() {
  OpDef op;
  op.type = "ReverseSequence";
  op.doc = "The first steps of every batch entry in reverse order.";
  op.in = {2, 2};
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
