// SPDX-License-Identifier: MIT
// Init: a tensor to write parts of. Zero asks for zeros; NoInit leaves the values open, and zeros
// are as good as any. batch_axis only says which dimension is the batch.
#include "ops/core/arithmetic.hpp"

namespace popart::ops {

OpDef initOp() {
  OpDef op;
  op.type = "Init";
  op.domain = "ai.graphcore";
  op.doc = "A tensor to write parts of.";
  op.in = {0, 0};
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    if (const auto init = op.integer("init_type", 0); init != 0 && init != 1)
      op.fail("init_type is ", init, "; it must be 0 (NoInit) or 1 (Zero).");
    const auto type = typeAttribute(op, "data_type");
    return {b.expand(b.constant(HostTensor::scalar(type, 0)), op.integers("shape"))};
  };
  return op;
}

} // namespace popart::ops
