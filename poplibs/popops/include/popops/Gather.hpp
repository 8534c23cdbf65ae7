// SPDX-License-Identifier: MIT
// Gather: slices of a tensor at places given by a tensor of indices, along one axis or as XLA's
// Gather does it.
#pragma once
#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <vector>

namespace popops {

// What the plan of a gather may take.
struct GatherParams {
  std::size_t maxElementsPerTile = 65535; // of the input, before its axis is split over tiles
  GatherParams() = default;
  GatherParams(std::size_t maxElementsPerTile_) : maxElementsPerTile(maxElementsPerTile_) {}
};

// An input laid out for gather along `axis`.
poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &operandShape, unsigned axis,
                                 GatherParams params = {},
                                 const poplar::DebugContext &debugContext = {});

// input[:axis] + indices.shape + input[axis + 1:]. Indices are INT or UNSIGNED_INT; out of range
// they follow the options of popops/DynamicSlice.hpp.
poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input,
                      const poplar::Tensor &indices, unsigned axis, poplar::program::Sequence &prog,
                      GatherParams params, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &optionFlags = {});

// XLA form: startIndexMap[k] is the dimension of the input that element k of an index vector
// moves in.
poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &inputShape,
                                 const std::vector<std::size_t> &sliceSizes,
                                 std::vector<unsigned> startIndexMap,
                                 const poplar::DebugContext &debugContext = {});

// Index vectors lie along indexVectorDim of indices (which may be indices.rank(): every index is a
// vector of one). Slices of sliceSizes, without collapsedSliceDims, become the dimensions
// offsetDims of the result; the others are those of indices. Starts are moved so that slices fit.
poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input,
                      const poplar::Tensor &indices, std::size_t indexVectorDim,
                      const std::vector<std::size_t> &offsetDims,
                      const std::vector<std::size_t> &sliceSizes,
                      const std::vector<std::size_t> &collapsedSliceDims,
                      const std::vector<unsigned> &startIndexMap, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &optionFlags = {});

} // namespace popops
