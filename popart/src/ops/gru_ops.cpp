// SPDX-License-Identifier: MIT
// GRU, and the operators it is written with: GruLayer, one direction of a sequence through popnn's
// fused kernels, and its gradient.
//
//   GruLayer: x, weights, feedback, biases, lengths, h0 -> y, last h, saved
//   GruLayerGrad: the same, y, saved, dy, dh -> gradients of the floating point inputs
// Biases are [3,H], or [3,2,H] when the reset gate works on the product (linear_before_reset).
#include "ops/nn/recurrent.hpp"
#include "ops/shared/elementwise.hpp"
#include <popnn/Gru.hpp>

namespace popart::ops {

namespace {

using poplar::Tensor;

using Layer = CellLayer<popnn::gru::GruParams, popnn::gru::GruWeights>;

bool resetAfter(const OpView &op) { return op.in(3).rank() == 3; }

popnn::gru::GruParams paramsOf(const OpView &op, const Tensor &lengths) {
  auto p = cellParams<popnn::gru::GruParams>(op, lengths);
  p.resetAfter = resetAfter(op);
  p.cellOrder = {BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_CANDIDATE};
  if (op.text("order", "urc") == "ruc") // torch's; the other is ONNX's
    std::swap(p.cellOrder[0], p.cellOrder[1]);
  return p;
}

Tensors lowerLayer(lowering::Lowering &l, const OpView &op) {
  const Layer layer(l, op, paramsOf);
  const Tensor initial = l.tensor(op.in(5));
  const bool saves = op.hasOut(2) && isUsed(op, op.out(2));
  Tensor saved;
  const Tensor y = popnn::gru::gruFwd(l.graph(), layer.params, initial, layer.x, layer.weights,
                                      saves ? &saved : nullptr, l.program(), l.name(),
                                      recurrentOptions(l, op, saves));
  Tensors out{inOrder(op, y)};
  out.push_back(op.hasOut(1) ? lastStep(l, op, y, ifValid(layer.lengths)) : Tensor());
  if (op.hasOut(2))
    out.push_back(saves ? saved : zeros(l, op.in(0).type(), op.out(2).info().shape_szt()));
  return out;
}

Tensors lowerGrad(lowering::Lowering &l, const OpView &op) {
  const Layer layer(l, op, paramsOf);
  const Tensor initial = l.tensor(op.in(5));
  const Tensor y = inOrder(op, l.tensor(op.in(6))), saved = l.tensor(op.in(7));
  const Tensor sequence = outputGradient(l, op, 8, y, ifValid(layer.lengths));
  Tensor dx;
  popnn::gru::GruWeights weights;
  const Tensor state = popnn::gru::gruBwdWithWU(
      l.graph(), layer.params, l.program(), initial, saved, layer.weights, layer.x, y, sequence,
      &dx, weights, l.name(), recurrentOptions(l, op, true), nullptr);
  return {inOrder(op, dx), weights.inputWeights, weights.outputWeights, weights.biases, state};
}

Values decompose(GraphBuilder &b, const OpView &op) {
  const RecurrentNode node(op, 3, {"sigmoid", "tanh"});
  return decomposeDirections(b, op, node, opOf("GruLayer"),
                             op.integer("linear_before_reset", 0) != 0);
}

} // namespace

std::vector<OpDef> gruOps() {
  OpDef onnx;
  onnx.type = "GRU";
  onnx.doc = "Gated recurrent units over a sequence, in one or both directions.";
  onnx.in = {3, 6};
  onnx.out = {0, 2};
  onnx.decompose = decompose;
  OpDef layer = layerOp("GruLayer", "One direction of gated recurrent units over a sequence.", 1,
                        [](const OpView &op) -> std::int64_t { return resetAfter(op) ? 4 : 3; });
  layer.lower = lowerLayer;
  layer.create = [](lowering::Lowering &l, const OpView &op, unsigned input) {
    return createLayer(l, op, input, paramsOf(op, {}), popnn::gru::createInput,
                       popnn::gru::createWeightsKernel);
  };
  OpDef back = layerGradOp(layer);
  back.lower = lowerGrad;
  return {onnx, layer, back};
}

} // namespace popart::ops
