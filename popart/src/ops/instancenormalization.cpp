// SPDX-License-Identifier: MIT
// InstanceNormalization: group normalisation with one channel in each group.
#include "opdef/graphbuilder.hpp"

namespace popart::ops {

OpDef instancenormalizationOp() {
  OpDef op;
  op.type = "InstanceNormalization";
  op.in = {3, 3};
  op.doc = "Every channel of every batch element normalised by itself.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    if (op.in(0).rank() < 3)
      op.fail("input \"", op.in(0).name(), "\" is ", op.in(0).info(),
              "; it needs batch, channels and at least one more dimension.");
    return {b.ops("GroupNormalization", {op.in(0), op.in(1), op.in(2)}, 3,
                  {{"num_groups", op.in(0).dim(1)}, {"epsilon", op.real("epsilon", 1e-5f)}})[0]};
  };
  return op;
}

} // namespace popart::ops
