// SPDX-License-Identifier: MIT
// Plain recurrent layers, in steps and as whole sequences:
//
//   h' = f(x W + h U + b)     weights [input size][output size] and [output size][output size]
//
// Sequences are [steps][batch][size]. f: SIGMOID, HARD_SIGMOID, RELU, TANH, SOFTMAX or
// SOFTMAX_STABLE.
#pragma once
#include <cstdint>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <poputil/DebugInfo.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace popnn {
namespace rnn {

// The matrix products of a simple recurrent layer, for planning them ahead.
std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(std::size_t numSteps, std::size_t batchSize, std::size_t inputSize,
                           std::size_t outputSize, const poplar::Type &dType,
                           const poplar::Type &partialsType = poplar::FLOAT,
                           bool inferenceOnly = false, bool hasFeedforwardWeights = true);

// Floating point operations of the whole sequence: forward, backward, weight update.
std::uint64_t getFwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                          unsigned outputSize, bool weightInput = true);
std::uint64_t getBwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                          unsigned outputSize, bool calcInputGrad = true);
std::uint64_t getWuFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                         unsigned outputSize);

// [steps][batch][input size]
poplar::Tensor createInput(poplar::Graph &graph, unsigned numSteps, unsigned batchSize,
                           unsigned inputSize, unsigned outputSize, const poplar::Type &dType,
                           const poplar::Type &partialsType = poplar::FLOAT,
                           bool inferenceOnly = false,
                           const poplar::DebugContext &debugContext = {},
                           poplin::PlanningCache *planningCache = nullptr);
// [batch][output size], zero if `initState`
poplar::Tensor createFwdState(poplar::Graph &graph, const poplar::Type &dType, unsigned batchSize,
                              unsigned outputSize, poplar::program::Sequence &prog, bool initState,
                              bool inferenceOnly, const poplar::DebugContext &debugContext = {},
                              poplin::PlanningCache *planningCache = nullptr);
// The outputs that a forward state holds.
poplar::Tensor getOutputFromFwdState(const poplar::Tensor &fwdState);
// [output size][input size].
poplar::Tensor createWeightsInput(poplar::Graph &graph, unsigned sequenceSize, unsigned batchSize,
                                  unsigned inputSize, unsigned outputSize,
                                  const poplar::Type &dType,
                                  const poplar::Type &partialsType = poplar::FLOAT,
                                  bool inferenceOnly = false,
                                  const poplar::DebugContext &debugContext = {},
                                  poplin::PlanningCache *planningCache = nullptr);
// [output size][output size].
poplar::Tensor createWeightsFeedback(poplar::Graph &graph, unsigned batchSize, unsigned outputSize,
                                     const poplar::Type &dType,
                                     const poplar::Type &partialsType = poplar::FLOAT,
                                     bool inferenceOnly = false,
                                     const poplar::DebugContext &debugContext = {},
                                     poplin::PlanningCache *planningCache = nullptr);

// W x of all steps.
poplar::Tensor forwardWeightInput(poplar::Graph &graph, const poplar::Tensor &actIn,
                                  const poplar::Tensor &weights, poplar::program::Sequence &prog,
                                  const poplar::Type &partialsType = poplar::FLOAT,
                                  bool inferenceOnly = false,
                                  const poplar::DebugContext &debugContext = {},
                                  poplin::PlanningCache *planningCache = nullptr);
// The outputs of all steps, from W x.
poplar::Tensor forwardIterate(
    poplar::Graph &graph, const poplar::Tensor &feedFwdIn, const poplar::Tensor &initState,
    const poplar::Tensor &feedbackWeights, const poplar::Tensor &biases,
    poplar::program::Sequence &prog, popnn::NonLinearityType nonLinearityType,
    const poplar::Type &partialsType = poplar::FLOAT, bool inferenceOnly = false,
    const poplar::DebugContext &debugContext = {}, poplin::PlanningCache *planningCache = nullptr);

// The backward state [batch][output size] is the gradient of f's argument; it starts at zero.
poplar::Tensor createBwdState(poplar::Graph &graph, const poplar::Type &dType, unsigned batchSize,
                              unsigned outputSize, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {},
                              poplin::PlanningCache *planningCache = nullptr);
// {gradient of the input, backward state} of one step.
std::pair<poplar::Tensor, poplar::Tensor> backwardGradientStep(
    poplar::Graph &graph, const poplar::Tensor &nextLayerGrad, const poplar::Tensor &bwdState,
    const poplar::Tensor &actOut, const poplar::Tensor &weightsInput,
    const poplar::Tensor &weightsFeedback, poplar::program::Sequence &prog,
    popnn::NonLinearityType nonLinearityType, const poplar::Type &partialsType = poplar::FLOAT,
    const poplar::DebugContext &debugContext = {}, poplin::PlanningCache *planningCache = nullptr);
// The backward state alone.
poplar::Tensor backwardGradientStep(poplar::Graph &graph, const poplar::Tensor &nextLayerGrad,
                                    const poplar::Tensor &bwdState, const poplar::Tensor &actOut,
                                    const poplar::Tensor &weightsFeedback,
                                    poplar::program::Sequence &prog,
                                    popnn::NonLinearityType nonLinearityType,
                                    const poplar::Type &partialsType = poplar::FLOAT,
                                    const poplar::DebugContext &debugContext = {},
                                    poplin::PlanningCache *planningCache = nullptr);
// Adds one step's gradients of the weights to what the accumulators hold.
void paramDeltaUpdate(poplar::Graph &graph, const poplar::Tensor &bwdState,
                      const poplar::Tensor &actIn, const poplar::Tensor &prevOut,
                      poplar::Tensor &weightsInputDeltasAcc,
                      poplar::Tensor &weightsFeedbackDeltasAcc, poplar::Tensor &biasesDeltasAcc,
                      poplar::program::Sequence &prog,
                      const poplar::Type &partialsType = poplar::FLOAT,
                      const poplar::DebugContext &debugContext = {},
                      poplin::PlanningCache *planningCache = nullptr);

// All steps; from `weightedIn` if it is not null, else from prevLayerActs.
poplar::Tensor rnnFwdSequence(
    poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &fwdStateInit,
    const poplar::Tensor *weightedIn, const poplar::Tensor &biases,
    const poplar::Tensor &feedFwdWeights, const poplar::Tensor &feedbackWeights,
    const poplar::Tensor &prevLayerActs, const popnn::NonLinearityType &nonLinearityType,
    const poplar::Type &partialsType = poplar::FLOAT, bool inferenceOnly = false,
    const poplar::DebugContext &debugContext = {}, poplin::PlanningCache *planningCache = nullptr);
// {gradients of the input, of the weights, of the feedback weights, of the biases}; tensors that
// were not asked for are not valid.
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor, poplar::Tensor> rnnBwdSequence(
    poplar::Graph &graph, bool doWU, bool ignoreInputGradientCalc, poplar::program::Sequence &prog,
    const poplar::Tensor &fwdStateInit, const poplar::Tensor &fwdState,
    const poplar::Tensor &biases, const poplar::Tensor &feedFwdWeights,
    const poplar::Tensor &feedbackWeights, const poplar::Tensor &outGradient,
    const poplar::Tensor &actIn, const popnn::NonLinearityType &nonLinearityType,
    const poplar::Type &partialsType = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
    poplin::PlanningCache *planningCache = nullptr);

} // namespace rnn
} // namespace popnn
