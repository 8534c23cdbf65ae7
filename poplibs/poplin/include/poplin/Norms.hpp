// SPDX-License-Identifier: MIT
// Normalisation of [batch][channels][field...] activations per channel: the parts that batch norm
// is made of. FLOAT and HALF.
#pragma once
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <utility>
#include <vector>

namespace poplin {

// Adds the tensors up over groups of `groupSize` replicas; returns the sums in the same order.
using DistributedNormReduceCallback = std::function<std::vector<poplar::Tensor>(
    poplar::Graph &replicatedGraph, const std::vector<poplar::Tensor> &inputsToReduce,
    poplar::program::Sequence &prog, unsigned groupSize, const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options)>;

// One parameter per channel, near the tiles that hold the channel; of the activations' type unless
// one is given.
poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts,
                               const poplar::Type &type,
                               const poplar::DebugContext &debugContext = {});
poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts,
                               const poplar::DebugContext &debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts,
                              const poplar::Type &type,
                              const poplar::DebugContext &debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts,
                              const poplar::DebugContext &debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor>
createNormParams(poplar::Graph &graph, const poplar::Tensor &acts,
                 const poplar::DebugContext &debugContext = {});

// (mean, 1 / sqrt(variance + eps)) per channel. `stableAlgo` subtracts the mean before it squares;
// `partialsType` is what sums are exchanged as.
std::pair<poplar::Tensor, poplar::Tensor>
normStatistics(poplar::Graph &graph, const poplar::Tensor &acts, float eps,
               poplar::program::Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo = false,
               const poplar::Type &partialsType = poplar::FLOAT,
               const poplar::DebugContext &debugContext = {});
// Over the activations of normSize / batch replicas together.
std::pair<poplar::Tensor, poplar::Tensor>
distributedNormStatistics(poplar::Graph &replicatedGraph, const poplar::Tensor &acts, float eps,
                          poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                          DistributedNormReduceCallback reduceCallback, unsigned normSize,
                          bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                          const poplar::DebugContext &debugContext = {});

// (acts - mean) * invStdDev
poplar::Tensor normWhiten(poplar::Graph &graph, const poplar::Tensor &acts,
                          const poplar::Tensor &mean, const poplar::Tensor &invStdDev,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {});
// whitened * gamma + beta
poplar::Tensor normalise(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                         const poplar::Tensor &gamma, const poplar::Tensor &beta,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

// (sum of whitened * gradsIn, sum of gradsIn) per channel.
std::pair<poplar::Tensor, poplar::Tensor>
normParamGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                   const poplar::Tensor &gradsIn, poplar::program::Sequence &prog,
                   const poplar::Type &partialsType = poplar::FLOAT,
                   const poplar::DebugContext &debugContext = {});
// gradsIn * gamma
poplar::Tensor normGradients(poplar::Graph &graph, const poplar::Tensor &gradsIn,
                             const poplar::Tensor &gamma, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});
// Through mean and deviation: invStdDev * (gradsIn - mean(gradsIn) - whitened * mean(gradsIn *
// whitened)), means per channel.
poplar::Tensor normStatisticsGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                                       const poplar::Tensor &gradsIn,
                                       const poplar::Tensor &invStdDev,
                                       poplar::program::Sequence &prog,
                                       const poplar::Type &partialsType = poplar::FLOAT,
                                       const poplar::DebugContext &debugContext = {});
poplar::Tensor distributedNormStatisticsGradients(
    poplar::Graph &replicatedGraph, const poplar::Tensor &actsWhitened,
    const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
    DistributedNormReduceCallback reduceCallback, unsigned normSize,
    const poplar::Type &partialsType = poplar::FLOAT,
    const poplar::DebugContext &debugContext = {});

} // namespace poplin
