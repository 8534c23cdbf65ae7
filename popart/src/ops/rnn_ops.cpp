// SPDX-License-Identifier: MIT
// RNN, and the operators it is written with: RnnLayer, one direction of a plain recurrent layer
// over a sequence through popnn's fused kernels, and its gradient.
//
//   RnnLayer: x, weights [1,I,H], feedback [1,H,H], biases [1,H], lengths, h0 -> y, last h
//   RnnLayerGrad: the same, y, dy, dh -> gradients of the floating point inputs
// popnn runs all steps; with lengths, what lies beyond them is made zero afterwards.
#include "ops/nn/recurrent.hpp"
#include "ops/shared/elementwise.hpp"
#include <popnn/Recurrent.hpp>

namespace popart::ops {

namespace {

using poplar::Tensor;

struct Layer {
  Tensor x, weights, feedback, biases, lengths, initial; // weights [H,I] and [H,H]
  popnn::NonLinearityType activation;
  poplar::Type partials;
};

poplar::Type partialsOf(const OpView &op) {
  const auto type = op.node().settings.extra.find<std::string>("__partials_type");
  return type && lowering::partialsType(*type) == "half" ? poplar::HALF : poplar::FLOAT;
}

Layer layerOf(lowering::Lowering &l, const OpView &op) {
  return {inOrder(op, l.tensor(op.in(0))),
          l.tensor(op.in(1))[0],
          l.tensor(op.in(2))[0],
          l.tensor(op.in(3))[0],
          op.hasIn(4) ? l.tensor(op.in(4)) : Tensor(),
          l.tensor(op.in(5)),
          activationOf(op, op.texts("activations")[0]),
          partialsOf(op)};
}

Tensors lowerLayer(lowering::Lowering &l, const OpView &op) {
  const Layer layer = layerOf(l, op);
  Tensor y = popnn::rnn::rnnFwdSequence(
      l.graph(), l.program(), layer.initial, nullptr, layer.biases, layer.weights, layer.feedback,
      layer.x, layer.activation, layer.partials, !l.options().training, l.name());
  if (layer.lengths.valid())
    y = masked(l, y, layer.lengths);
  return {inOrder(op, y), lastStep(l, op, y, ifValid(layer.lengths))};
}

Tensor createRnnLayer(lowering::Lowering &l, const OpView &op, unsigned input) {
  const auto x = op.in(0).info().shape_szt();
  const auto unsigneds = [](std::size_t n) { return static_cast<unsigned>(n); };
  const unsigned steps = unsigneds(x[0]), batch = unsigneds(x[1]), in = unsigneds(x[2]),
                 out = unsigned(op.in(2).dim(2));
  const auto type = lowering::deviceType(op.in(0).type());
  const bool inference = !l.options().training;
  const auto &name = op.in(input).name();
  if (input == 0)
    return inOrder(op, popnn::rnn::createInput(l.graph(), steps, batch, in, out, type,
                                               partialsOf(op), inference, name));
  if (input == 1)
    return popnn::rnn::createWeightsInput(l.graph(), steps, batch, in, out, type, partialsOf(op),
                                          inference, name)
        .expand({0});
  if (input == 2)
    return popnn::rnn::createWeightsFeedback(l.graph(), batch, out, type, partialsOf(op), inference,
                                             name)
        .expand({0});
  return {};
}

// popnn gives no gradient of the initial state. It is feedback^T times the first step's gradient of
// the activation's argument, as the gradient of x is weights^T times it: where it is wanted, the
// previous output counts as a part of the input.
Tensors lowerGrad(lowering::Lowering &l, const OpView &op) {
  const Layer layer = layerOf(l, op);
  const Tensor y = inOrder(op, l.tensor(op.in(6)));
  Tensor dy = outputGradient(l, op, 7, y, ifValid(layer.lengths));
  if (layer.lengths.valid())
    dy = masked(l, dy, layer.lengths);
  const bool wantsInitial = !op.in(5).isConstant();
  Tensor x = layer.x, weights = layer.weights;
  if (wantsInitial) {
    x = poplar::concat(x, poplar::concat(layer.initial.expand({0}), y.slice(0, y.dim(0) - 1, 0)),
                       2);
    weights = poplar::concat(weights, layer.feedback, 0);
  }
  auto [dx, dw, du, db] = popnn::rnn::rnnBwdSequence(
      l.graph(), true, false, l.program(), layer.initial, y, layer.biases, weights, layer.feedback,
      dy, x, layer.activation, layer.partials, l.name());
  const auto in = layer.x.dim(2);
  const Tensor initial = wantsInitial ? dx[0].slice(in, dx.dim(2), 1)
                                      : zeros(l, op.in(0).type(), layer.initial.shape());
  return {inOrder(op, dx.slice(0, in, 2)), dw.slice(0, in, 0).expand({0}), du.expand({0}),
          db.expand({0}), initial};
}

Values decompose(GraphBuilder &b, const OpView &op) {
  return decomposeDirections(b, op, RecurrentNode(op, 1, {"tanh"}), opOf("RnnLayer"), false);
}

} // namespace

std::vector<OpDef> rnnOps() {
  OpDef onnx;
  onnx.type = "RNN";
  onnx.doc = "A plain recurrent layer over a sequence, in one or both directions.";
  onnx.in = {3, 6};
  onnx.out = {0, 2};
  onnx.decompose = decompose;
  OpDef layer =
      layerOp("RnnLayer", "One direction of a plain recurrent layer over a sequence.", 1, nullptr);
  layer.lower = lowerLayer;
  layer.create = createRnnLayer;
  OpDef back = layerGradOp(layer);
  back.lower = lowerGrad;
  return {onnx, layer, back};
}

} // namespace popart::ops
