// SPDX-License-Identifier: MIT
// If: one of two bodies runs, by a condition known when the program runs. Both get all inputs after
// the condition and give outputs of the same types.   Backward: an If of the bodies' gradients
#include "ops/shared/bodies.hpp"

namespace popart::ops {

namespace {

Infos infer(const OpView &op) {
  op.require(op.in(0).type() == DataType::BOOL && op.in(0).elements() == 1,
             "its condition must be one BOOL.");
  requireInputs(op, op.body(0), 1);
  requireInputs(op, op.body(1), 1);
  const Infos a = infosOf(op.body(0), op.body(0).outputs),
              b = infosOf(op.body(1), op.body(1).outputs);
  if (a.size() != b.size())
    op.fail("its branches give ", a.size(), " and ", b.size(), " outputs.");
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      op.fail("output ", i, " is ", a[i], " in one branch and ", b[i],
              " in the other. They must agree, unless the condition is a constant.");
  return a;
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
  auto a = differentiateBody(op.body(0), marked), b = differentiateBody(op.body(1), marked);
  unsigned count = 0;
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    wanted.push_back(a.gradients[i] != none || b.gradients[i] != none);
    count += wanted.back();
  }
  Values out(op.inputs(), none);
  if (!count)
    return out;
  node.bodies = {finish(std::move(a), wanted), finish(std::move(b), wanted)};
  const Values made = g.append(std::move(node), count);
  for (std::size_t i = 0, next = 0; i < wanted.size(); ++i)
    if (wanted[i])
      out[i + 1] = made[next++];
  return out;
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const Tensors inputs = inputTensors(l, op, 1, op.inputs());
  poplar::program::Sequence first, second;
  const auto seed = l.seedOfBody(op, l.program());
  const Tensors a = l.lowerBody(op.body(0), inputs, first, seed),
                b = l.lowerBody(op.body(1), inputs, second, seed);
  const Tensors out = copiesOf(l, a, first);
  copyAll(b, out, second);
  l.program().add(poplar::program::If(l.tensor(op.in(0)).reshape({}), first, second, l.name()));
  return out;
}

} // namespace

OpDef ifOp() {
  OpDef op;
  op.type = "If";
  op.doc = "One of two bodies, chosen when the program runs.";
  op.in = {1, any};
  op.out = {1, any};
  op.infer = infer;
  op.grad = grad;
  op.lower = lower;
  return op;
}

} // namespace popart::ops
