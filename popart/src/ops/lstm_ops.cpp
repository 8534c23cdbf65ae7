// SPDX-License-Identifier: MIT
// LSTM of ONNX and of ai.graphcore, and the operators they are written with: LstmLayer, one
// direction of a sequence through popnn's fused kernels, and its gradient.
//
//   LstmLayer: x, weights, feedback, biases, lengths, h0, c0 -> y, last h, last c, saved
//   LstmLayerGrad: the same, y, saved, dy, dh, dc -> gradients of the floating point inputs
// `saved` is what the gradient needs, [T,N,6,H]; nothing is computed for it where nothing uses it.
#include "ops/nn/recurrent.hpp"
#include "ops/shared/elementwise.hpp"
#include <popnn/Lstm.hpp>

namespace popart::ops {

namespace {

using poplar::Tensor;
using Activations = std::vector<std::string>;

constexpr std::int64_t keptColumns = 6; // gates, cell state, activated cell state

using Layer = CellLayer<popnn::lstm::LstmParams, popnn::lstm::LstmWeights>;

popnn::lstm::LstmParams paramsOf(const OpView &op, const Tensor &lengths) {
  auto p = cellParams<popnn::lstm::LstmParams>(op, lengths);
  p.preserveFinalState = lengths.valid();
  const auto order = op.text("order"); // PopLibs' own is forget, input, candidate, output
  if (order == "iofc")                 // ONNX's
    p.cellOrder = {BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_OUTPUT_GATE,
                   BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_CANDIDATE};
  else if (order == "ifco") // torch's
    p.cellOrder = {BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_FORGET_GATE,
                   BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_OUTPUT_GATE};
  return p;
}

popnn::lstm::LstmState initialOf(lowering::Lowering &l, const OpView &op) {
  return {l.tensor(op.in(5)), l.tensor(op.in(6))};
}

// What popnn keeps in the recomputation mode of the session, of the columns there is room for.
std::size_t columnsKept(const poplar::OptionFlags &options) {
  for (const auto &[name, value] : options)
    if (name == "recomputationMode")
      return value == "full" ? 0 : value == "cellAndTanh" ? 4 : keptColumns;
  return keptColumns;
}

Tensors lowerLayer(lowering::Lowering &l, const OpView &op) {
  const Layer layer(l, op, paramsOf);
  const auto initial = initialOf(l, op);
  const bool saves = op.hasOut(3) && isUsed(op, op.out(3));
  const auto options = recurrentOptions(l, op, saves);
  Tensor saved;
  auto [y, cell] = popnn::lstm::lstmFwd(l.graph(), layer.params, initial, layer.x, layer.weights,
                                        saves ? &saved : nullptr, l.program(), l.name(), options);
  const Tensor last = op.hasOut(1) ? lastStep(l, op, y, ifValid(layer.lengths)) : Tensor();
  Tensors out{inOrder(op, y), last, cell};
  if (op.hasOut(3)) {
    auto shape = op.out(3).info().shape_szt();
    shape[2] -= saves ? columnsKept(options) : 0;
    const Tensor rest = zeros(l, op.in(0).type(), shape);
    out.push_back(!saves || shape[2] == keptColumns ? rest : poplar::concat(saved, rest, 2));
  }
  return out;
}

Tensors lowerGrad(lowering::Lowering &l, const OpView &op) {
  const Layer layer(l, op, paramsOf);
  const auto initial = initialOf(l, op);
  const auto options = recurrentOptions(l, op, true);
  const Tensor y = inOrder(op, l.tensor(op.in(7))),
               saved = l.tensor(op.in(8)).slice(0, columnsKept(options), 2);
  const Tensor sequence = outputGradient(l, op, 9, y, ifValid(layer.lengths));
  const Tensor cell = op.hasIn(11) ? l.tensor(op.in(11)) : Tensor();
  Tensor dx;
  popnn::lstm::LstmWeights weights;
  const auto state = popnn::lstm::lstmBwdWithWU(l.graph(), layer.params, l.program(), initial,
                                                saved, layer.weights, layer.x, y, sequence,
                                                ifValid(cell), &dx, weights, l.name(), options);
  return {inOrder(op, dx), weights.inputWeights, weights.outputWeights,
          weights.biases,  state.output,         state.cellState};
}

Values decompose(GraphBuilder &b, const OpView &op) {
  const RecurrentNode node(op, 4, {"sigmoid", "tanh", "tanh"});
  return decomposeDirections(b, op, node, opOf("LstmLayer"), false,
                             {{"order", std::string("iofc")}});
}

// x [T,N,I], w [4,I+H,H], (b [4,H]), (initial [2,N,H]: output, cell state), (lengths [N])
Values decomposeGraphcore(GraphBuilder &b, const OpView &op) {
  requireFloat(op);
  if (op.in(0).rank() != 3 || op.in(1).rank() != 3)
    op.fail("x is ", op.in(0).info(), " and the weights ", op.in(1).info(),
            "; they must be [steps, batch, input size] and [4, input + output size, output size].");
  const std::int64_t batch = op.in(0).dim(1), in = op.in(0).dim(2), h = op.in(1).dim(2);
  if (op.in(1).shape() != Shape{4, in + h, h})
    op.fail("the weights are ", op.in(1).info(), "; they must have shape ",
            ir::text(Shape{4, in + h, h}), ".");
  const auto zerosOf = [&](const Shape &s) {
    return b.constant(HostTensor::filled({op.in(0).type(), s}, 0));
  };
  const auto w =
      b.ops("Split", {op.in(1)}, 2, {{"axis", std::int64_t(1)}, {"split", Integers{in, h}}});
  Value h0 = none, c0 = none;
  if (op.hasIn(3)) {
    const auto s =
        b.ops("Split", {op.in(3)}, 2, {{"axis", std::int64_t(0)}, {"split", Integers{1, 1}}});
    h0 = b.reshape(s[0], {batch, h});
    c0 = b.reshape(s[1], {batch, h});
  } else
    h0 = c0 = zerosOf({batch, h});
  const auto made = b.ops(
      "LstmLayer",
      {op.in(0), w[0], w[1], op.hasIn(2) ? Value(op.in(2)) : zerosOf({4, h}), op.in(4), h0, c0}, 4,
      {{"activations",
        Activations{op.text("recurrent_activation", "sigmoid"), op.text("activation", "tanh")}},
       {"order", std::string("fico")}});
  return {op.integer("outputFullSequence", 1) ? made[0] : made[1], made[2]};
}

} // namespace

std::vector<OpDef> lstmOps() {
  OpDef onnx;
  onnx.type = "LSTM";
  onnx.doc = "Long short-term memory over a sequence, in one or both directions.";
  onnx.in = {3, 8};
  onnx.out = {0, 3};
  onnx.decompose = decompose;
  OpDef graphcore;
  graphcore.type = "LSTM";
  graphcore.domain = "ai.graphcore";
  graphcore.doc = "Long short-term memory over a sequence, with weights as PopLibs has them.";
  graphcore.in = {2, 5};
  graphcore.out = {1, 2};
  graphcore.decompose = decomposeGraphcore;
  OpDef layer = layerOp("LstmLayer", "One direction of an LSTM over a sequence.", 2,
                        [](const OpView &) { return keptColumns; });
  layer.lower = lowerLayer;
  layer.create = [](lowering::Lowering &l, const OpView &op, unsigned input) {
    return createLayer(l, op, input, paramsOf(op, {}), popnn::lstm::createInput,
                       popnn::lstm::createWeightsKernel);
  };
  OpDef back = layerGradOp(layer);
  back.lower = lowerGrad;
  return {onnx, graphcore, layer, back};
}

} // namespace popart::ops
