// SPDX-License-Identifier: MIT
// What the ONNX operators LSTM, GRU and RNN have in common. Each is written as one layer operator
// per direction (LstmLayer, GruLayer, RnnLayer) between views that bring tensors from ONNX's form
// to PopLibs' and back.
//
//   layer: x [T,N,I], weights [G,I,H], feedback [G,H,H], biases, lengths [N] or none, h0 [N,H], ...
//       -> y [T,N,H], last h [N,H], ...      y is zero beyond an element's length
#pragma once
#include "lowering/lowering.hpp"
#include "ops/core/graphbuilder.hpp"
#include <popnn/NonLinearityDef.hpp>

namespace popart::ops {

struct RecurrentNode {
  std::int64_t gates, directions, steps, batch, inputSize, hiddenSize;
  bool batchFirst;                      // layout = 1
  bool onlyReverse;                     // direction = reverse
  std::vector<std::string> activations; // of all directions

  // Reads and checks a node with inputs X, W, R, B, sequence_lens, initial_h and more.
  RecurrentNode(const OpView &op, std::int64_t gates, const std::vector<std::string> &defaults);
  bool isReversed(std::int64_t direction) const { return onlyReverse || direction == 1; }
  std::vector<std::string> activationsOf(std::int64_t direction) const;
};

// One direction's inputs of the layer, as PopLibs wants them.
struct LayerInputs {
  Value x, weights, feedback, biases, lengths, initial;
  bool reverse; // by the layer, by views
};
// `separateBiases`: [G,2,H] with those of input and state apart; else their sum [G,H].
LayerInputs layerInputs(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                        std::int64_t direction, bool separateBiases);
// An initial state (input i) of one direction [N,H]; zeros if it is left out.
Value initialState(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                   std::int64_t direction, std::size_t input);
// Y, Y_h ... in ONNX's form from what the layers of all directions gave: sequences first.
Values joinDirections(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                      const std::vector<Values> &layers);

// Below: for the lowering of layers, whose attribute `reverse` says that time runs backwards.

popnn::NonLinearityType activationOf(const OpView &op, const std::string &name);
// Options of lstm and gru: the session's and the node's annotations.
poplar::OptionFlags recurrentOptions(lowering::Lowering &l, const OpView &op, bool training);
bool isUsed(const OpView &op, Value v);
// A sequence in the order of time in which the layer runs, and back.
poplar::Tensor inOrder(const OpView &op, const poplar::Tensor &sequence);
// Zeros of a shape as a view of one element.
poplar::Tensor zeros(lowering::Lowering &l, DataType type, const std::vector<std::size_t> &shape);
// y[T-1], or that of every element's last step if it has lengths.
poplar::Tensor lastStep(lowering::Lowering &l, const poplar::Tensor &y,
                        const poplar::Tensor *lengths);
// dy with the gradient of the last steps added; either may be invalid.
poplar::Tensor withLastStep(lowering::Lowering &l, const poplar::Tensor &dy,
                            const poplar::Tensor &dlast, const poplar::Tensor *lengths,
                            DataType type, const std::vector<std::size_t> &shape);
// t with what is beyond an element's length made zero.
poplar::Tensor masked(lowering::Lowering &l, const poplar::Tensor &t,
                      const poplar::Tensor &lengths);

} // namespace popart::ops
