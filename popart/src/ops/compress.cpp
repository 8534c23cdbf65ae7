// SPDX-License-Identifier: MIT
// Compress: the entries along an axis (or of the flattened tensor) for which a condition that is
// known when the model is built is true.
#include "opdef/graphbuilder.hpp"

namespace popart::ops {

namespace {

Values decompose(GraphBuilder &b, const OpView &op) {
  const auto x = op.in(0), condition = op.in(1);
  if (!condition.isConstant())
    op.fail("its condition (\"", condition.name(),
            "\") must be known when the model is compiled, because the shape of the result follows "
            "from it. Make it a constant, or use Where to keep the shape.");
  const bool flat = !op.has("axis");
  const std::int64_t axis = flat ? 0 : op.axis("axis", 0, x.rank());
  const std::int64_t size = flat ? x.elements() : x.dim(axis);
  const Integers wanted = condition.data().integers();
  if (condition.rank() != 1 || condition.elements() > size)
    op.fail("its condition has shape ", ir::text(condition.shape()), "; it selects from ", size,
            " entries of ", ir::text(x.shape()), ".");
  Integers indices;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i])
      indices.push_back(std::int64_t(i));
  const Value from = flat ? b.reshape(x, {size}) : Value(x);
  return {b.op("Gather", {from, b.integers(indices)}, {{"axis", axis}})};
}

} // namespace

OpDef compressOp() {
  OpDef op;
  op.type = "Compress";
  op.doc = "The entries for which a condition is true.";
  op.in = {2, 2};
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
