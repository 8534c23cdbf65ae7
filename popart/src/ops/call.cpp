// SPDX-License-Identifier: MIT
// Call: a body as a function of the device, with copies in and out; nodes that share a body share
// its code.   Backward: a Call of the body's gradient, which computes the forward pass again
#include "ops/shared/bodies.hpp"

namespace popart::ops {

namespace {

Infos infer(const OpView &op) {
  requireInputs(op, op.body(0), 0);
  return infosOf(op.body(0), op.body(0).outputs);
}

Values grad(GradBuilder &g, const OpView &op) {
  std::vector<bool> marked, wanted;
  ir::Node node;
  node.def = op.node().def;
  node.inputs = op.node().inputs;
  if (op.has("seedModifier")) // the same numbers again
    node.attributes.set("seedModifier", op.integer("seedModifier"));
  for (unsigned i = 0; i < op.outputs(); ++i) {
    marked.push_back(g.dy(i) != none);
    if (marked.back())
      node.inputs.push_back(g.dy(i));
  }
  auto gradient = differentiateBody(op.body(0), marked);
  for (Value v : gradient.gradients)
    wanted.push_back(v != none);
  node.bodies = {finish(std::move(gradient), wanted)};
  const auto count = node.bodies[0]->outputs.size();
  const Values made = g.append(std::move(node), static_cast<unsigned>(count));
  Values out(op.inputs(), none);
  for (std::size_t i = 0, next = 0; i < wanted.size(); ++i)
    if (wanted[i])
      out[i] = made[next++];
  return out;
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const Tensors inputs = inputTensors(l, op, 0, op.inputs());
  const auto &function = l.function(op.node().bodies[0], inputs);
  copyAll(inputs, function.inputs, l.program());
  if (function.seed.valid())
    copyAll({l.seedOfBody(op, l.program())}, {function.seed}, l.program());
  l.program().add(poplar::program::Call(function.function, l.name()));
  return copiesOf(l, function.outputs, l.program());
}

} // namespace

OpDef callOp() {
  OpDef op;
  op.type = "Call";
  op.domain = "ai.graphcore";
  op.doc = "A body as a function of the device.";
  op.in = {0, any};
  op.out = {0, any};
  op.infer = infer;
  op.grad = grad;
  op.lower = lower;
  return op;
}

} // namespace popart::ops
