// SPDX-License-Identifier: MIT
// Rows of sparse weights of a fully connected layer, as a table: slices [numIndices][inputChannels]
// of weights [outputChannels][inputChannels].
#pragma once
#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseTensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popsparse {
namespace dynamic {

// UNSIGNED_INT [numIndices].
poplar::Tensor createIndicesTensor(poplar::Graph &graph, const FullyConnectedParams &params,
                                   std::size_t numIndices, const poplar::OptionFlags &options = {},
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &dataType,
                                 const FullyConnectedParams &params, std::size_t numIndices,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);

// Rows of the weights, zeros filled in. An index beyond the last row gives zeros.
poplar::Tensor embeddingSlice(poplar::Graph &graph, const SparseTensor &t,
                              const poplar::Tensor &indices, poplar::program::Sequence &prog,
                              const FullyConnectedParams &params,
                              const poplar::DebugContext &debugContext = {},
                              const poplar::OptionFlags &options = {},
                              PlanningCache *cache = nullptr);

// Adds scale * slices[i] to row indices[i], where that has non-zero values. An index may come up
// several times; one beyond the last row is left out.
void embeddingUpdateAdd(poplar::Graph &graph, const SparseTensor &t, const poplar::Tensor &slices,
                        const poplar::Tensor &indices, const poplar::Tensor &scale,
                        poplar::program::Sequence &prog, const FullyConnectedParams &params,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace dynamic
} // namespace popsparse
