// SPDX-License-Identifier: MIT
// CopyVarUpdate: gives a variable a new value. It takes place after the last use of the old value
// in a micro-batch (optimizer::delayUpdates moves it there).
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {

Infos infer(const OpView &op) {
  if (op.in(0).kind() == ir::Kind::Constant)
    op.fail("\"", op.in(0).name(), "\" is a constant, which cannot be changed.");
  if (op.in(0).info() != op.in(1).info())
    op.fail("the variable \"", op.in(0).name(), "\" is ", op.in(0).info(), ", the new value \"",
            op.in(1).name(), "\" is ", op.in(1).info(), ". They must be alike.");
  return {op.in(0).info()};
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const auto variable = l.tensor(op.in(0));
  if (variable.numElements())
    l.program().add(poplar::program::Copy(l.tensor(op.in(1)), variable, false, l.name()));
  return {variable};
}

} // namespace

OpDef copyvarupdateOp() {
  OpDef op;
  op.type = "CopyVarUpdate";
  op.domain = "ai.graphcore";
  op.in = {2, 2};
  op.out = {1, 1};
  op.doc = "Gives a variable a new value.";
  op.infer = infer;
  op.lower = lower;
  op.noGradient = "it changes a variable";
  op.updates = 0;
  op.assigns = true;
  return op;
}

} // namespace popart::ops
