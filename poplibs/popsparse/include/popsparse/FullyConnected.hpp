// SPDX-License-Identifier: MIT
// Fully connected layers with sparse weights whose pattern may change while the program runs.
// Options: availableMemoryProportion, metaInfoBucketOversizeProportion, doGradAPass, doGradWPass,
// partialsType (half, float), sharedBuckets, enableStructuredRearrangements,
// partitioner.optimiseForSpeed, partitioner.forceBucketSpills,
// partitioner.useActualWorkerSplitCosts, planConstraints ({"x": .., "y": .., "z": ..}).
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseTensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <tuple>

namespace popsparse {
namespace dynamic {

// Weights whose pattern the host sets later: meta information and values.
SparseTensor createFullyConnectedWeights(poplar::Graph &graph, const poplar::Type &inputType,
                                         const FullyConnectedParams &params,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {},
                                         PlanningCache *cache = nullptr);
// [batch][inputChannels]
poplar::Tensor createFullyConnectedInput(poplar::Graph &graph, const poplar::Type &inputType,
                                         const FullyConnectedParams &params,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {},
                                         PlanningCache *cache = nullptr);

// activations [batch][inputChannels] -> [batch][outputChannels]
poplar::Tensor
fullyConnectedFwd(poplar::Graph &graph, const SparseTensor &weights,
                  const poplar::Tensor &activations, const FullyConnectedParams &fcParams,
                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
// gradients [batch][outputChannels] -> [batch][inputChannels]
poplar::Tensor
fullyConnectedGradA(poplar::Graph &graph, const SparseTensor &weights,
                    const poplar::Tensor &gradients, const FullyConnectedParams &fcParams,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
// The gradient of each non-zero weight, laid out as the weights' nzValues.
poplar::Tensor
fullyConnectedSparseGradW(poplar::Graph &graph, const poplar::Tensor sparsityMetaInfo,
                          const poplar::Tensor &gradA, const poplar::Tensor &activations,
                          const FullyConnectedParams &fcParams, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

// In how many pieces (groups, input channels, output channels) to make the gradient of all weights
// so that a piece fits in the available memory.
std::tuple<unsigned, unsigned, unsigned> fullyConnectedDenseGradWSerialSplits(
    const poplar::Graph &graph, const poplar::Type &inputType, const FullyConnectedParams &fcParams,
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace dynamic
} // namespace popsparse
