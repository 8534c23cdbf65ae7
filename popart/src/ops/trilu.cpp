// SPDX-License-Identifier: MIT
// Trilu: the upper or lower triangle of matrices, zero elsewhere.
#include "opdef/importing.hpp"

namespace popart::ops {

namespace {

Values decompose(GraphBuilder &b, const OpView &op) {
  const auto x = op.in(0);
  if (x.rank() < 2)
    op.fail("its input has shape ", ir::text(x.shape()), "; it takes matrices.");
  const std::int64_t rows = x.dim(-2), columns = x.dim(-1), k = op.integer("k", 0);
  const bool upper = op.integer("upper", 1) != 0;
  Integers kept;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      kept.push_back(upper ? c - r >= k : c - r <= k);
  const Value mask =
      b.constant(HostTensor::fromIntegers({DataType::BOOL, {rows, columns}}, kept), "triangle");
  return {b.where(mask, x, b.scalar(0, x))};
}

} // namespace

OpDef triluOp() {
  OpDef op;
  op.type = "Trilu";
  op.doc = "The upper or lower triangle of matrices.";
  op.in = {1, 2};
  op.canonical = [](Importing &i) { i.integerFromInput(1, "k"); };
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
