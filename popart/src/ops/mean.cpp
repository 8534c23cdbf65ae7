// SPDX-License-Identifier: MIT
// Mean: y = (a + b + ...) / n, with broadcasting.   every gradient is dy / n, summed to its shape
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

OpDef meanOp() {
  OpDef op = variadic("Mean", "Mean of any number of tensors, with broadcasting.");
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    requireFloat(op);
    const Value sum = b.op("Sum", op.node().inputs);
    return {b.mul(sum, 1.0 / static_cast<double>(op.inputs()))};
  };
  op.infer = nullptr;
  return op;
}

} // namespace popart::ops
