// SPDX-License-Identifier: MIT
// Long short-term memory layers, forward and backward.
//
//   f, i, o = recurrentActivation(W x + U h + b)     g = activation(W x + U h + b)
//   c' = f c + i g                                   h' = o activation(c')
//
// Options of all functions: inferenceOnly [false], preCalcWeights [false], partialsType [float],
// weightAccumulatorsType [the data's], recomputationMode none | cellAndTanh | full [none],
// availableMemoryProportion, numShards [1], rnnCodeReuse [false], rnnStepsPerWU [1],
// disableWUPartialInterleaving [false].
#pragma once
#include <cstddef>
#include <cstdint>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/LstmDef.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>
#include <poputil/DebugInfo.hpp>
#include <utility>
#include <vector>

namespace popnn {
namespace lstm {

std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder(); // the order of the enumeration

// What an LSTM layer is: sizes, gates and functions.
struct LstmParams {
  rnn::RnnParams rnn; // sizes of the sequence and the layer

  // Kept for programs that set them; `rnn` is what counts.
  poplar::Type dataType;
  std::size_t batchSize = 0, timeSteps = 0;
  std::vector<std::size_t> layerSizes;

  bool outputFullSequence = true; // else only the last step's output
  bool doInputWeightCalc = true;  // false: the input takes no part (for measurements)
  bool calcInputGradients = true; // false: lstmBwd need not give a gradient of the input
  bool preserveFinalState =
      false; // with a length per batch element: keep the state of the last one
  // The gates in the order of the weights' first dimension.
  std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder();
  NonLinearityType activation = NonLinearityType::TANH; // of the candidate and of the cell's state
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID; // of the gates

  LstmParams() {}
  // layerSizes: {size of the input, size of the output}.
  LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
             std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  // timeSteps: one number, or one per batch element, known when the program runs.
  LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
             const poplar::Tensor &timeSteps, std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
};

// What goes from one step to the next.
struct LstmState {
  poplar::Tensor output, cellState;   // [batch][output size]
  poplar::Tensor getAsTensor() const; // [2][batch][output size]
};

// All weights of a layer.
struct LstmWeights {
  poplar::Tensor inputWeights;  // [4][input size][output size]
  poplar::Tensor outputWeights; // [4][output size][output size]
  poplar::Tensor biases;        // [4][output size]
};

// The matrix products of the layer, for planning them ahead.
std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(LstmParams params, poplar::OptionFlags opts);

// Floating point operations of the whole sequence: forward, backward, weight update.
std::uint64_t getBasicLstmCellFwdFlops(const LstmParams &params);
std::uint64_t getBasicLstmCellBwdFlops(const LstmParams &params);
std::uint64_t getBasicLstmCellWuFlops(const LstmParams &params);

// [time steps][batch][input size]
poplar::Tensor createInput(poplar::Graph &graph, const LstmParams &params,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {},
                           poplin::PlanningCache *planningCache = nullptr);
// [batch][output size].
poplar::Tensor createInitialOutput(poplar::Graph &graph, const LstmParams &params,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {},
                                   poplin::PlanningCache *planningCache = nullptr);
// [batch][output size].
poplar::Tensor createInitialCellState(poplar::Graph &graph, const LstmParams &params,
                                      const poplar::DebugContext &debugContext,
                                      const poplar::OptionFlags &options = {},
                                      poplin::PlanningCache *planningCache = nullptr);
// Both of the above.
LstmState createInitialState(poplar::Graph &graph, const LstmParams &params,
                             const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options = {},
                             poplin::PlanningCache *planningCache = nullptr);
// Sets both parts of the state to zero.
void zeroInitialState(poplar::Graph &graph, const LstmState &initialState,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

// {input weights, output weights}
std::pair<poplar::Tensor, poplar::Tensor> createWeightsKernel(
    poplar::Graph &graph, const LstmParams &params, const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);
// [4][output size].
poplar::Tensor createWeightsBiases(poplar::Graph &graph, const LstmParams &params,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {},
                                   poplin::PlanningCache *planningCache = nullptr);
// Both of the above.
LstmWeights createWeights(poplar::Graph &graph, const LstmParams &params,
                          const poplar::DebugContext &debugContext,
                          const poplar::OptionFlags &options = {},
                          poplin::PlanningCache *planningCache = nullptr);

// {output [time steps][batch][output size], or of the last step only, final cell state}.
// `intermediates`, if not null, becomes what the backward pass needs; its format is private.
// Outputs beyond an element's length are zero.
std::pair<poplar::Tensor, poplar::Tensor>
lstmFwd(poplar::Graph &graph, const LstmParams &params, const LstmState &stateInit,
        const poplar::Tensor &in, const LstmWeights &weights, poplar::Tensor *intermediates,
        poplar::program::Sequence &fwdProg, const poplar::DebugContext &debugContext = {},
        const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);

// Gradient of the initial state. `inputGrad` and `bwdIntermediates` (for lstmWU) may be null. The
// gradient of the final state, or of the final cell state, may be null: zero.
LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                  const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                  const LstmWeights &weights, const poplar::Tensor &input,
                  const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                  const LstmState *lastStepStateGrad, poplar::Tensor *inputGrad,
                  poplar::Tensor *bwdIntermediates, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {},
                  poplin::PlanningCache *planningCache = nullptr);
LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                  const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                  const LstmWeights &weights, const poplar::Tensor &input,
                  const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                  const poplar::Tensor *lastCellStateGrad, poplar::Tensor *inputGrad,
                  poplar::Tensor *bwdIntermediates, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {},
                  poplin::PlanningCache *planningCache = nullptr);

// Gradients of the weights.
LstmWeights lstmWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                   const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                   const poplar::Tensor &bwdIntermediates, const LstmWeights &weights,
                   const poplar::Tensor &input, const poplar::Tensor &output,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {},
                   poplin::PlanningCache *planningCache = nullptr);

// Both at once: no intermediates of the backward pass are kept.
LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params,
                        poplar::program::Sequence &prog, const LstmState &fwdStateInit,
                        const poplar::Tensor &fwdIntermediates, const LstmWeights &weights,
                        const poplar::Tensor &input, const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad, const LstmState *lastStepStateGrad,
                        poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::PlanningCache *planningCache = nullptr);
LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params,
                        poplar::program::Sequence &prog, const LstmState &fwdStateInit,
                        const poplar::Tensor &fwdIntermediates, const LstmWeights &weights,
                        const poplar::Tensor &input, const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad, const poplar::Tensor *lastCellStateGrad,
                        poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::PlanningCache *planningCache = nullptr);

} // namespace lstm
} // namespace popnn
