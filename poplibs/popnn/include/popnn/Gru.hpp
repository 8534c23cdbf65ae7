// SPDX-License-Identifier: MIT
// Gated recurrent units, forward and backward, also with attention (AUGRU).
//
//   r, u = recurrentActivation(W x + U h + b)        c = activation(W x + U (r h) + b)
//   h' = u h + (1 - u) c                             attention a: u becomes (1 - a) u
//
// With resetAfter, c = activation(W x + b + r (U h + b')). Options of all functions: inferenceOnly
// [true], partialsType [float], availableMemoryProportion, numShards [1], rnnCodeReuse [false].
#pragma once
#include <cstddef>
#include <cstdint>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/GruDef.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>
#include <poputil/DebugInfo.hpp>
#include <utility>
#include <vector>

namespace popnn {
namespace gru {

std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder(); // the order of the enumeration

// What a GRU layer is: sizes, gates and functions.
struct GruParams {
  rnn::RnnParams rnn; // sizes of the sequence and the layer

  // Kept for programs that set them; `rnn` is what counts.
  poplar::Type dataType;
  std::size_t batchSize = 0, timeSteps = 0;
  std::vector<std::size_t> layerSizes;

  bool outputFullSequence = true; // else only the last step's output
  bool calcInputGradients = true; // false: gruBwd need not give inputGrad
  // The gates in the order of the weights' first dimension.
  std::vector<BasicGruCellUnit> cellOrder = getDefaultBasicGruCellOrder();
  bool resetAfter = false; // biases are then [3][2][output size]: of the input, of the state
  NonLinearityType activation = NonLinearityType::TANH;             // of the candidate
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID; // of the gates

  GruParams() {}
  // layerSizes: {size of the input, size of the output}.
  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
            std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  // timeSteps: one number, or one per batch element, known when the program runs.
  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
            const poplar::Tensor &timeSteps, std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
};

// All weights of a layer.
struct GruWeights {
  poplar::Tensor inputWeights;  // [3][input size][output size]
  poplar::Tensor outputWeights; // [3][output size][output size]
  poplar::Tensor biases;        // [3][output size], or [3][2][output size] with resetAfter
};

// The matrix products of the layer, for planning them ahead.
std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(GruParams params, poplar::OptionFlags opts);

// Floating point operations of the whole sequence: forward, backward, weight update.
std::uint64_t getBasicGruCellFwdFlops(const GruParams &params);
std::uint64_t getBasicGruCellBwdFlops(const GruParams &params);
std::uint64_t getBasicGruCellWuFlops(const GruParams &params);

// [time steps][batch][input size]
poplar::Tensor createInput(poplar::Graph &graph, const GruParams &params,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {},
                           poplin::PlanningCache *planningCache = nullptr);
// [batch][output size]
poplar::Tensor createInitialState(poplar::Graph &graph, const GruParams &params,
                                  const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options, poplin::PlanningCache *cache);
// {input weights, output weights}
std::pair<poplar::Tensor, poplar::Tensor> createWeightsKernel(
    poplar::Graph &graph, const GruParams &params, const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);
// [3][output size], or [3][2][output size] with resetAfter.
poplar::Tensor createWeightsBiases(poplar::Graph &graph, const GruParams &params,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {},
                                   poplin::PlanningCache *planningCache = nullptr);
// Both of the above.
GruWeights createWeights(poplar::Graph &graph, const GruParams &params,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options = {},
                         poplin::PlanningCache *planningCache = nullptr);
// Scores [batch][time steps] for the auGru functions; their gradients have the same shape.
poplar::Tensor createAttention(poplar::Graph &graph, const GruParams &params,
                               const poplar::DebugContext &debugContext,
                               const poplar::OptionFlags &options = {});

// Output [time steps][batch][output size], or of the last step only. `intermediates`, if not null,
// becomes what the backward pass needs; its format is private. Outputs beyond an element's length
// are zero; a last output is that of its last valid step.
poplar::Tensor
gruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
       const poplar::Tensor &in, const GruWeights &weights, poplar::Tensor *intermediates,
       poplar::program::Sequence &fwdProg, const poplar::DebugContext &debugContext = {},
       const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params,
                      const poplar::Tensor &stateInit, const poplar::Tensor &in,
                      const poplar::Tensor &realTimeSteps, const GruWeights &weights,
                      poplar::Tensor *intermediates, poplar::program::Sequence &fwdProg,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor auGruFwd(poplar::Graph &graph, const GruParams &params,
                        const poplar::Tensor &stateInit, const poplar::Tensor &in,
                        const GruWeights &weights, poplar::Tensor *intermediates,
                        const poplar::Tensor &attScores, poplar::program::Sequence &fwdProg,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
auGruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
         const poplar::Tensor &in, const poplar::Tensor &realTimeSteps, const GruWeights &weights,
         poplar::Tensor *intermediates, const poplar::Tensor &attScores,
         poplar::program::Sequence &fwdProg, const poplar::DebugContext &debugContext = {},
         const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr);

// Gradient of the initial state. `inputGrad` and `bwdIntermediates` (for gruWU) may be null.
poplar::Tensor gruBwd(poplar::Graph &graph, const GruParams &params,
                      poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                      const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
                      const poplar::Tensor &fwdInputSeq, const poplar::Tensor &fwdOutput,
                      const poplar::Tensor &gradLayerNext, poplar::Tensor *inputGrad,
                      poplar::Tensor *bwdIntermediates, const poplar::DebugContext &debugContext,
                      const poplar::OptionFlags &options, poplin::PlanningCache *planningCache);
poplar::Tensor gruBwd(poplar::Graph &graph, const GruParams &params,
                      poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                      const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
                      const poplar::Tensor &fwdInputSeq, const poplar::Tensor &realTimeSteps,
                      const poplar::Tensor &fwdOutput, const poplar::Tensor &gradLayerNext,
                      poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                      const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                      poplin::PlanningCache *planningCache);
poplar::Tensor auGruBwd(poplar::Graph &graph, const GruParams &params,
                        poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                        const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
                        const poplar::Tensor &fwdInputSeq, const poplar::Tensor &fwdOutput,
                        const poplar::Tensor &gradLayerNext, poplar::Tensor *inputGrad,
                        poplar::Tensor *bwdIntermediates, const poplar::Tensor &attentions,
                        poplar::Tensor *attentionsGrad, const poplar::DebugContext &debugContext,
                        const poplar::OptionFlags &options, poplin::PlanningCache *planningCache);
poplar::Tensor auGruBwd(poplar::Graph &graph, const GruParams &params,
                        poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                        const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
                        const poplar::Tensor &fwdInputSeq, const poplar::Tensor &realTimeSteps,
                        const poplar::Tensor &fwdOutput, const poplar::Tensor &gradLayerNext,
                        poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                        const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
                        const poplar::DebugContext &debugContext,
                        const poplar::OptionFlags &options, poplin::PlanningCache *planningCache);

// Gradients of the weights.
GruWeights gruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                 const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                 const poplar::Tensor &bwdIntermediates, const GruWeights &weights,
                 const poplar::Tensor &input, const poplar::Tensor &output,
                 const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                 poplin::PlanningCache *planningCache);
GruWeights auGruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                   const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                   const poplar::Tensor &bwdIntermediates, const GruWeights &weights,
                   const poplar::Tensor &input, const poplar::Tensor &output,
                   const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                   poplin::PlanningCache *planningCache);

// Both at once: no intermediates of the backward pass are kept.
poplar::Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params,
                            poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                            const poplar::Tensor &fwdIntermediates, const GruWeights &weights,
                            const poplar::Tensor &input, const poplar::Tensor &output,
                            const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                            GruWeights &weightsGrad, const poplar::DebugContext &debugContext,
                            const poplar::OptionFlags &options,
                            poplin::PlanningCache *planningCache);
poplar::Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params,
                            poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                            const poplar::Tensor &fwdIntermediates, const GruWeights &weights,
                            const poplar::Tensor &input, const poplar::Tensor &realTimeSteps,
                            const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                            poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                            const poplar::DebugContext &debugContext,
                            const poplar::OptionFlags &options,
                            poplin::PlanningCache *planningCache);
poplar::Tensor
auGruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
               const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
               const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
               const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad, GruWeights &weightsGrad,
               const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
               const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
               poplin::PlanningCache *planningCache);
poplar::Tensor auGruBwdWithWU(poplar::Graph &graph, const GruParams &params,
                              poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                              const poplar::Tensor &fwdIntermediates, const GruWeights &weights,
                              const poplar::Tensor &input, const poplar::Tensor &realTimeSteps,
                              const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                              poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                              const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
                              const poplar::DebugContext &debugContext,
                              const poplar::OptionFlags &options,
                              poplin::PlanningCache *planningCache);

} // namespace gru
} // namespace popnn
