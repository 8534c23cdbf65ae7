// SPDX-License-Identifier: MIT
// What the ONNX operators LSTM, GRU and RNN have in common. Each is written as one layer operator
// per direction (LstmLayer, GruLayer, RnnLayer) between views that bring tensors from ONNX's form
// to PopLibs' and back. Peepholes, coupled gates, clipping and activations that popnn lacks are
// written as a Scan instead (recurrentcells.cpp).
//
//   layer: x [T,N,I], weights [G,I,H], feedback [G,H,H], biases, lengths [N] or none, h0 [N,H], ...
//       -> y [T,N,H], last h [N,H], ...      y is zero beyond an element's length
#pragma once
#include "ops/shared/bodies.hpp"
#include <popnn/NonLinearityDef.hpp>

namespace popart::ops {

struct Activation {
  std::string name; // in lower case
  float alpha, beta;
};

struct RecurrentNode {
  std::int64_t gates, directions, steps, batch, inputSize, hiddenSize;
  bool batchFirst;                     // layout = 1
  bool onlyReverse;                    // direction = reverse
  float clip;                          // of what activations get; 0: none
  std::vector<Activation> activations; // of all directions

  // Reads and checks a node with inputs X, W, R, B, sequence_lens, initial_h and more.
  RecurrentNode(const OpView &op, std::int64_t gates, const std::vector<std::string> &defaults);
  bool isReversed(std::int64_t direction) const { return onlyReverse || direction == 1; }
  std::vector<Activation> activationsOf(std::int64_t direction) const;
};

// One direction's inputs of the layer, as PopLibs wants them.
struct LayerInputs {
  Value x, weights, feedback, biases, lengths, initial;
  bool reverse; // by the layer, by views
  bool separateBiases;
};
// `separateBiases`: [G,2,H] with those of input and state apart; else their sum [G,H].
LayerInputs layerInputs(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                        std::int64_t direction, bool separateBiases);
// One direction of [D,...], without that dimension.
Value ofDirection(GraphBuilder &b, Value v, std::int64_t directions, std::int64_t d);
// An initial state (input i) of one direction [N,H]; zeros if it is left out.
Value initialState(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                   std::int64_t direction, std::size_t input);
// Whether popnn's kernels compute the cell of this direction.
bool isPopnnCell(const OpView &op, const RecurrentNode &node, std::int64_t direction);
// One direction of any other cell, as a Scan of the operators it is made of: y, last h (and c).
Values cellLayer(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                 std::int64_t direction, const LayerInputs &in);
// The node as one layer per direction, an operator (which gets `attributes` and the activations)
// where popnn has the cell, and what they give joined in ONNX's form.
Values decomposeDirections(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                           const OpDef &layer, bool separateBiases, ir::Attributes attributes = {});

// A layer operator with so many states (h0, c0): x, weights, feedback, biases, lengths, states ->
// y, last states, and what the gradient needs, [T,N,kept,H], if `kept` is not null. The caller adds
// lower and create.
OpDef layerOp(const std::string &type, const std::string &doc, unsigned states,
              std::int64_t (*kept)(const OpView &op));
// Its gradient: the inputs of the layer, y, saved, dy, gradients of the last states -> those of the
// floating point inputs. The caller adds lower.
OpDef layerGradOp(const OpDef &layer);

// Below: for the lowering of layers, whose attribute `reverse` says that time runs backwards.

popnn::NonLinearityType activationOf(const OpView &op, const std::string &name);
// Options of lstm and gru: the session's and the node's annotations.
poplar::OptionFlags recurrentOptions(lowering::Lowering &l, const OpView &op, bool training);
inline const poplar::Tensor *ifValid(const poplar::Tensor &t) { return t.valid() ? &t : nullptr; }
// popnn's parameters of a cell; the caller adds what is the cell's own.
template <class Params> Params cellParams(const OpView &op, const poplar::Tensor &lengths);
// The layouts that popnn wants for x, weights and feedback, from its functions for one cell.
template <class Params, class CreateInput, class CreateWeights>
poplar::Tensor createLayer(lowering::Lowering &l, const OpView &op, unsigned input,
                           const Params &params, CreateInput createInput,
                           CreateWeights createWeights);
// A sequence in the order of time in which the layer runs, and back.
poplar::Tensor inOrder(const OpView &op, const poplar::Tensor &sequence);
// y[T-1], or that of every element's last step if it has lengths: the layer's second output.
poplar::Tensor lastStep(lowering::Lowering &l, const OpView &op, const poplar::Tensor &y,
                        const poplar::Tensor *lengths);
// The gradient of y: that of the sequence, an input of the gradient operator, with that of the last
// steps, the next one, added. Either may be left out.
poplar::Tensor outputGradient(lowering::Lowering &l, const OpView &op, std::size_t input,
                              const poplar::Tensor &y, const poplar::Tensor *lengths);
// t with what is beyond an element's length made zero.
poplar::Tensor masked(lowering::Lowering &l, const poplar::Tensor &t,
                      const poplar::Tensor &lengths);

// The operands of a layer of one of popnn's cells. Its states are inputs from 5 on.
template <class Params, class Weights> struct CellLayer {
  Params params;
  Weights weights;
  poplar::Tensor x, lengths;

  CellLayer(lowering::Lowering &l, const OpView &op,
            Params (*paramsOf)(const OpView &op, const poplar::Tensor &lengths)) {
    if (op.hasIn(4))
      lengths = l.tensor(op.in(4));
    params = paramsOf(op, lengths);
    x = inOrder(op, l.tensor(op.in(0)));
    weights = {l.tensor(op.in(1)), l.tensor(op.in(2)), l.tensor(op.in(3))};
  }
};

template <class Params> Params cellParams(const OpView &op, const poplar::Tensor &lengths) {
  const auto x = op.in(0).info().shape_szt();
  const auto type = lowering::deviceType(op.in(0).type());
  const std::vector<std::size_t> sizes{x[2], std::size_t(op.in(2).dim(2))};
  const auto names = op.texts("activations");
  const auto gates = activationOf(op, names[0]), state = activationOf(op, names[1]);
  return lengths.valid() ? Params(type, x[1], x[0], lengths, sizes, state, gates)
                         : Params(type, x[1], x[0], sizes, state, gates);
}

template <class Params, class CreateInput, class CreateWeights>
poplar::Tensor createLayer(lowering::Lowering &l, const OpView &op, unsigned input,
                           const Params &params, CreateInput createInput,
                           CreateWeights createWeights) {
  const auto options = recurrentOptions(l, op, l.options().training);
  const auto &name = op.in(input).name();
  if (input == 0)
    return inOrder(op, createInput(l.graph(), params, name, options, nullptr));
  if (input > 2)
    return {};
  const auto made = createWeights(l.graph(), params, name, options, nullptr);
  return input == 1 ? made.first : made.second;
}

} // namespace popart::ops
