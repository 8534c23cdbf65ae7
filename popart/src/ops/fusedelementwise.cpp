// SPDX-License-Identifier: MIT
// FusedElementwise: a body of element-wise nodes as one expression, so that what lies between them
// never reaches memory. Made by transforms/rewriting/fuse.cpp after differentiation.
#include "lowering/expression.hpp"
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

OpDef fusedelementwiseOp() {
  OpDef op;
  op.type = "FusedElementwise";
  op.domain = "openipu";
  op.doc = "Several element-wise operators as one.";
  op.in = {1, any};
  op.out = {1, any};
  op.infer = [](const OpView &op) -> Infos {
    Infos infos;
    for (Value v : op.body(0).outputs)
      infos.push_back(op.body(0)[v].info);
    return infos;
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return lowering::ExpressionBuilder(l, op.graph()).mapBody(op.body(0), op);
  };
  op.gradientError = "operators are fused after differentiation";
  op.fresh = true;
  op.fused = true;
  return op;
}

} // namespace popart::ops
