// SPDX-License-Identifier: MIT
// Connectionist temporal classification: the negative log likelihood of label sequences under
// per-step class probabilities, over all alignments, and its gradient.
#pragma once
#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popnn/CTCPlan.hpp>
#include <poputil/DebugInfo.hpp>
#include <utility>

namespace popnn {
namespace ctc {

// Options: partialsType [outType], availableMemoryProportion [0.6], planConstraints (JSON:
// {"parallel": {"batch": n, "time": n, "label": n}}), enableReducedClassesInLabel [true].
Plan plan(const poplar::Graph &graph, const poplar::Type &inType, const poplar::Type &outType,
          unsigned batchSize, unsigned maxTime, unsigned maxLabelLength, unsigned numClasses,
          const poplar::OptionFlags &options = {});

// [max time][batch][classes]
poplar::Tensor createDataInput(poplar::Graph &graph, const poplar::Type &type,
                               std::size_t batchSize, std::size_t maxTime, std::size_t numClasses,
                               const Plan &plan, const poplar::DebugContext &debugContext = {});
// [batch][max label length]
poplar::Tensor createLabelsInput(poplar::Graph &graph, const poplar::Type &type,
                                 std::size_t batchSize, std::size_t maxLabelLength,
                                 const Plan &plan, const poplar::DebugContext &debugContext = {});

// {loss [batch], gradient [max time][batch][classes]}. Data are natural logarithms of
// probabilities, or logits. Options: includeSoftmaxGradient [true]: the gradient is that of the
// logits, else that of the log probabilities; zeroInfinity [false]: impossible labels have loss and
// gradient zero instead of infinity; zeroInfinityRelTolerance [0.01]: how near to the largest value
// of the type a loss counts as infinite.
std::pair<poplar::Tensor, poplar::Tensor> calcLossAndGradientLogProbabilities(
    poplar::Graph &graph, const poplar::Type &outType, const poplar::Tensor &logProbs,
    const poplar::Tensor &labels, const poplar::Tensor &dataLengths,
    const poplar::Tensor &labelLengths, poplar::program::Sequence &prog, unsigned blankClass,
    const Plan &plan, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
std::pair<poplar::Tensor, poplar::Tensor>
calcLossAndGradientLogits(poplar::Graph &graph, const poplar::Type &outType,
                          const poplar::Tensor &logits, const poplar::Tensor &labels,
                          const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths,
                          poplar::program::Sequence &prog, unsigned blankClass, const Plan &plan,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {});

// The loss alone: [batch]
poplar::Tensor
calcCTCLossLogProbabilities(poplar::Graph &graph, const poplar::Type &outType,
                            const poplar::Tensor &logProbs, const poplar::Tensor &labels,
                            const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths,
                            poplar::program::Sequence &prog, unsigned blankClass, const Plan &plan,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {});
poplar::Tensor calcCTCLossLogits(poplar::Graph &graph, const poplar::Type &outType,
                                 const poplar::Tensor &logits, const poplar::Tensor &labels,
                                 const poplar::Tensor &dataLengths,
                                 const poplar::Tensor &labelLengths,
                                 poplar::program::Sequence &prog, unsigned blankClass,
                                 const Plan &plan, const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

} // namespace ctc
} // namespace popnn
