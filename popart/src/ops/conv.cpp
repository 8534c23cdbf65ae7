// SPDX-License-Identifier: MIT
// Conv: y = x * w + b over any number of spatial dimensions, in groups.
//   dx = ConvDataGrad(dy, w)     dw = ConvWeightGrad(dy, x)     db = dy summed but for channels
// The bias stays with the node, so that a pass that fuses activations has one node to look at.
#include "opdef/graphbuilder.hpp"
#include "ops/nn/convolution.hpp"
#include <numeric>

namespace popart::ops {

namespace {

Infos infer(const OpView &op) {
  requireConvTypes(op);
  const auto c = forwardOf(op);
  requireBias(op, c.groups * c.outPerGroup);
  return {{c.type, c.outputShape()}};
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  if (op.out(0).elements() == 0)
    return {emptyOutput(l, op)};
  const auto c = forwardOf(op);
  auto y =
      poplin::convolution(l.graph(), l.tensor(op.in(0)), c.grouped(l.tensor(op.in(1))), c.params(),
                          false, l.program(), l.name(), convOptions(l, op, "TRAINING_BWD"));
  if (op.hasIn(2))
    poplin::addBias(l.graph(), y, l.tensor(op.in(2)), l.program(), l.name("bias"));
  return {y};
}

poplar::Tensor create(lowering::Lowering &l, const OpView &op, unsigned input) {
  if (input > 1 || op.in(0).elements() == 0)
    return {};
  const auto c = forwardOf(op);
  const auto options = convOptions(l, op, "TRAINING_BWD");
  const auto &name = op.in(input).name();
  if (input == 0)
    return poplin::createInput(l.graph(), c.params(), name, options);
  return c.flat(poplin::createWeights(l.graph(), c.params(), name, options));
}

Values grad(GradBuilder &g, const OpView &op) {
  const auto c = forwardOf(op);
  auto data = c.attributes(), weights = c.attributes();
  data.set("field", c.window.field);
  weights.set("kernel", c.window.kernel);
  Integers summed(op.in(0).shape().size() - 1, 0);
  std::iota(summed.begin() + 1, summed.end(), 2);
  return {g.op("ConvDataGrad", {g.dy(), op.in(1)}, data),
          g.op("ConvWeightGrad", {g.dy(), op.in(0)}, weights),
          op.hasIn(2) ? g.reduceSum(g.dy(), summed, false) : none};
}

} // namespace

OpDef convOp() {
  OpDef op;
  op.type = "Conv";
  op.doc = "Convolution of any number of spatial dimensions, with an optional bias.";
  op.in = {2, 3};
  op.infer = infer;
  op.lower = lower;
  op.create = create;
  op.grad = grad;
  op.fresh = true;
  op.product = true;
  op.batch = Batch::Images;
  op.epilogue = "EpilogueConv";
  return op;
}

} // namespace popart::ops
