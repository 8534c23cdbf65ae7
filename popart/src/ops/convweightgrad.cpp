// SPDX-License-Identifier: MIT
// ConvWeightGrad: the gradient of a convolution's weights from dy and x. Attributes: strides,
// dilations, pads and group of the convolution, and `kernel`, the spatial shape of the weights.
//   ddy = Conv(x, dw)     dx = ConvDataGrad(dy, dw)
#include "opdef/graphbuilder.hpp"
#include "ops/nn/convolution.hpp"
#include <popops/Zero.hpp>

namespace popart::ops {

namespace {

Infos infer(const OpView &op) {
  requireConvTypes(op);
  const auto c = forwardOfWeightGrad(op);
  if (c.outputShape() != op.in(0).shape())
    op.fail("a gradient ", op.in(0).info(), " does not belong to a convolution from ",
            op.in(1).info(), " to ", ir::text(c.outputShape()), ".");
  return {{c.type, c.weightShape()}};
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  if (op.in(0).elements() == 0 || op.out(0).elements() == 0) {
    auto none = emptyOutput(l, op);
    popops::zero(l.graph(), none, l.program(), l.name());
    return {none};
  }
  const auto c = forwardOfWeightGrad(op);
  return {c.flat(poplin::calculateWeightDeltas(l.graph(), l.tensor(op.in(0)), l.tensor(op.in(1)),
                                               c.params(), l.program(), l.name(),
                                               convOptions(l, op, "TRAINING_WU")))};
}

Values grad(GradBuilder &g, const OpView &op) {
  const auto c = forwardOfWeightGrad(op);
  auto data = c.attributes();
  data.set("field", c.window.field);
  return {g.op("Conv", {op.in(1), g.dy()}, c.attributes()),
          g.op("ConvDataGrad", {op.in(0), g.dy()}, data)};
}

} // namespace

OpDef convweightgradOp() {
  OpDef op;
  op.type = "ConvWeightGrad";
  op.domain = "openipu";
  op.doc = "Gradient of a convolution's weights.";
  op.in = {2, 2};
  op.infer = infer;
  op.lower = lower;
  op.grad = grad;
  op.fresh = true;
  op.product = true;
  op.batch = Batch::Sum;
  return op;
}

} // namespace popart::ops
