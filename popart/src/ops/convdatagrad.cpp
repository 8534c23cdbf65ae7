// SPDX-License-Identifier: MIT
// ConvDataGrad: the gradient of a convolution's input, x = dy *^T w, plus an optional bias; also
// what ConvTranspose is. Attributes: strides, dilations, pads and group of the convolution, and
// `field`, the spatial shape of x.   ddy = Conv(dx, w)     dw = ConvWeightGrad(dy, dx)
#include "opdef/graphbuilder.hpp"
#include "ops/nn/convolution.hpp"
#include <numeric>

namespace popart::ops {

namespace {

Infos infer(const OpView &op) {
  requireConvTypes(op);
  const auto c = forwardOfDataGrad(op);
  if (c.outputShape() != op.in(0).shape())
    op.fail("a gradient ", op.in(0).info(), " does not belong to a convolution from ",
            ir::text(c.inputShape()), " to ", ir::text(c.outputShape()), ".");
  requireBias(op, c.groups * c.inPerGroup);
  return {{c.type, c.inputShape()}};
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  if (op.out(0).elements() == 0)
    return {emptyOutput(l, op)};
  const auto c = forwardOfDataGrad(op);
  auto x = poplin::convolution(l.graph(), l.tensor(op.in(0)), c.grouped(l.tensor(op.in(1))),
                               poplin::getGradientParams(c.params()), true, l.program(), l.name(),
                               convOptions(l, op, "TRAINING_BWD"));
  if (op.hasIn(2))
    poplin::addBias(l.graph(), x, l.tensor(op.in(2)), l.program(), l.name("bias"));
  return {x};
}

// Weights [groups][in][out][kernel...] of the transposed convolution, seen as the forward one's.
poplar::Tensor forwardWeights(poplar::Tensor w) {
  for (unsigned d = 3; d < w.rank(); ++d)
    w = w.reverse(d);
  return w.dimShufflePartial({1, 2}, {2, 1});
}

poplar::Tensor create(lowering::Lowering &l, const OpView &op, unsigned input) {
  if (input > 1 || op.in(0).elements() == 0)
    return {};
  const auto c = forwardOfDataGrad(op);
  const auto params = poplin::getGradientParams(c.params());
  const auto options = convOptions(l, op, "TRAINING_BWD");
  const auto &name = op.in(input).name();
  if (input == 0)
    return poplin::createInput(l.graph(), params, name, options);
  return c.flat(forwardWeights(poplin::createWeights(l.graph(), params, name, options)));
}

Values grad(GradBuilder &g, const OpView &op) {
  const auto c = forwardOfDataGrad(op);
  auto weights = c.attributes();
  weights.set("kernel", c.window.kernel);
  Integers summed(op.in(0).shape().size() - 1, 0);
  std::iota(summed.begin() + 1, summed.end(), 2);
  return {g.op("Conv", {g.dy(), op.in(1)}, c.attributes()),
          g.op("ConvWeightGrad", {op.in(0), g.dy()}, weights),
          op.hasIn(2) ? g.reduceSum(g.dy(), summed, false) : none};
}

} // namespace

OpDef convdatagradOp() {
  OpDef op;
  op.type = "ConvDataGrad";
  op.domain = "openipu";
  op.doc = "Gradient of a convolution's input, with an optional bias.";
  op.in = {2, 3};
  op.infer = infer;
  op.lower = lower;
  op.create = create;
  op.grad = grad;
  op.fresh = true;
  op.product = true;
  op.batch = Batch::Images;
  op.epilogue = "EpilogueConvDataGrad";
  return op;
}

} // namespace popart::ops
