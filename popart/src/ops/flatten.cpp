// SPDX-License-Identifier: MIT
// Flatten: a matrix of the dimensions before an axis by those from it on. A Reshape from there on.
#include "opdef/graphbuilder.hpp"

namespace popart::ops {

OpDef flattenOp() {
  OpDef op;
  op.type = "Flatten";
  op.doc = "A matrix: dimensions before the axis, and those from it on.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    const auto x = op.in(0);
    std::int64_t axis = op.integer("axis", 1); // the rank itself is allowed, unlike elsewhere
    if (axis < -x.rank() || axis > x.rank())
      op.fail("axis is ", axis, ", outside [", -x.rank(), ", ", x.rank(), "] of ",
              ir::text(x.shape()), ".");
    axis += axis < 0 ? x.rank() : 0;
    Shape shape{1, 1};
    for (std::int64_t d = 0; d < x.rank(); ++d)
      shape[d < axis ? 0 : 1] *= x.dim(d);
    return {b.op("Reshape", {x}, {{"shape", shape}, {"allowzero", std::int64_t(1)}})};
  };
  return op;
}

} // namespace popart::ops
