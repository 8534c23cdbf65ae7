// SPDX-License-Identifier: MIT
// IdentityLoss: the sum or mean of all elements, or the elements themselves, as a loss.
#include "ops/shared/lossreduction.hpp"

namespace popart::ops {

OpDef identitylossOp() {
  OpDef op;
  op.type = "IdentityLoss";
  op.domain = "ai.graphcore";
  op.doc = "Makes any tensor a loss: its sum, its mean, or as it is.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    return {reduceLoss(b, op, op.in(0))};
  };
  return op;
}

} // namespace popart::ops
