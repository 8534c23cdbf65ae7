// SPDX-License-Identifier: MIT
// WeightGradient: what a model's own rule of updates (ir::Graph::rule) gets of a weight. The
// session puts the gradient in its place (optimizer/rule.hpp), so that it is never lowered.
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include <popart/error.hpp>

namespace popart::ops {

namespace {

Infos infer(const OpView &op) {
  if (op.in(0).kind() != ir::Kind::Variable)
    op.fail("\"", op.in(0).name(), "\" is no weight.");
  return {op.in(0).info()};
}

Tensors lower(lowering::Lowering &, const OpView &op) {
  throw internal_error("The gradient of \"{}\" was not put into the rule of updates.",
                       op.in(0).name());
}

} // namespace

OpDef weightgradientOp() {
  OpDef op;
  op.type = "WeightGradient";
  op.domain = "openipu";
  op.doc = "The gradient of a weight, accumulated and reduced, for a rule that updates it.";
  op.infer = infer;
  op.lower = lower;
  op.noGradient = "it belongs to an update";
  return op;
}

} // namespace popart::ops
