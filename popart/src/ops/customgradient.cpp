// SPDX-License-Identifier: MIT
// CustomGradient: its first `results` inputs as they are. The gradients of the `by` inputs after
// them are what the body makes of the gradients of the outputs, followed by all further inputs.
#include "ops/shared/bodies.hpp"

namespace popart::ops {

namespace {

unsigned results(const OpView &op) { return static_cast<unsigned>(op.integer("results")); }

Infos infer(const OpView &op) {
  Infos out;
  for (unsigned i = 0; i < results(op); ++i)
    out.push_back(op.in(i).info());
  return out;
}

Values grad(GradBuilder &g, const OpView &op) {
  const auto by = static_cast<unsigned>(op.integer("by"));
  ir::Node node;
  node.def = &opOf("Call");
  node.bodies = op.node().bodies;
  for (unsigned i = 0; i < results(op); ++i)
    node.inputs.push_back(g.dy(i) == none ? g.zerosLike(op.out(i)) : g.dy(i));
  for (unsigned i = results(op) + by; i < op.inputs(); ++i)
    node.inputs.push_back(op.in(i));
  const Values made = g.append(std::move(node), by);
  Values out(op.inputs(), none);
  std::copy(made.begin(), made.end(), out.begin() + results(op));
  return out;
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  return copiesOf(l, inputTensors(l, op, 0, results(op)), l.program());
}

} // namespace

OpDef customgradientOp() {
  OpDef op;
  op.type = "CustomGradient";
  op.domain = "openipu";
  op.doc = "Values whose gradients are what a body says.";
  op.in = {1, any};
  op.out = {1, any};
  op.infer = infer;
  op.grad = grad;
  op.lower = lower;
  op.fresh = true;
  return op;
}

} // namespace popart::ops
