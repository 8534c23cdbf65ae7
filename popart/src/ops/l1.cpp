// SPDX-License-Identifier: MIT
// L1 (l1loss): lambda times the sum or mean of the magnitudes, or each of them.
#include "ops/shared/lossreduction.hpp"

namespace popart::ops {

OpDef l1Op() {
  OpDef op;
  op.type = "L1";
  op.domain = "ai.graphcore";
  op.doc = "Lambda times the sum or mean of the magnitudes of all elements.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    const double lambda = op.real("lambda");
    const Value size = b.op("Abs", {op.in(0)});
    if (lossReduction(op) == LossReduction::NoReduction)
      return {b.mul(size, lambda)};
    return {b.mul(reduceLoss(b, op, size), lambda)};
  };
  return op;
}

} // namespace popart::ops
