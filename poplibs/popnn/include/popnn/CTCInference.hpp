// SPDX-License-Identifier: MIT
// Decoding for connectionist temporal classification: the most probable label sequences by beam
// search over prefixes.
#pragma once
#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popnn/CTCPlan.hpp>
#include <poputil/DebugInfo.hpp>
#include <tuple>

namespace popnn {
namespace ctc_infer {

// Options: partialsType [inType], availableMemoryProportion [0.6], planConstraints (JSON:
// {"parallel": {"batch": n, "classes": n}}).
ctc::Plan plan(const poplar::Graph &graph, const poplar::Type &inType, unsigned batchSize,
               unsigned maxTime, unsigned numClasses, unsigned beamwidth,
               const poplar::OptionFlags &options = {});

// [max time][batch][classes]
poplar::Tensor createDataInput(poplar::Graph &graph, const poplar::Type &type,
                               std::size_t batchSize, std::size_t maxTime, std::size_t numClasses,
                               const ctc::Plan &plan,
                               const poplar::DebugContext &debugContext = {});

// {log probabilities [batch][topPaths], lengths [batch][topPaths], labels
// [batch][topPaths][max time]}, best first; labels behind a length are the largest unsigned number.
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor> beamSearchDecoderLogProbabilities(
    poplar::Graph &graph, const poplar::Tensor &logProbs, const poplar::Tensor &lengths,
    poplar::program::Sequence &prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths,
    const ctc::Plan &plan, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor>
beamSearchDecoderLogits(poplar::Graph &graph, const poplar::Tensor &logits,
                        const poplar::Tensor &lengths, poplar::program::Sequence &prog,
                        unsigned blankClass, unsigned beamwidth, unsigned topPaths,
                        const ctc::Plan &plan, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {});

} // namespace ctc_infer
} // namespace popnn
