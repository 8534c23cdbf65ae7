// SPDX-License-Identifier: MIT
// Layout of tensors: the same values, ordered in memory as the next operator wants them.
#pragma once
#include <cstddef>
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VarStructure.hpp>
#include <utility>
#include <vector>

namespace popops {
namespace rearrange {

// Whether the tile's transpose instructions can turn matrices of this size: 2-byte elements, rows
// and columns in fours.
bool canUseFastTranspose(const poplar::Target &target, const poplar::Type &type, unsigned numRows,
                         unsigned numColumns, unsigned numTranspositions);

// Transposes of matrices of rows x cols elements: `mapping` says on which tile the i-th is done,
// getInOut(i) returns its source (rows * cols elements) and destination.
void addTransposeVertices(
    poplar::Graph &graph, const poplar::ComputeSet &cs, const poplar::Type &dType, unsigned rows,
    unsigned cols, const poplar::Graph::TileToTensorMapping &mapping,
    std::function<std::pair<const poplar::Tensor, const poplar::Tensor>(std::size_t)> getInOut,
    const poplar::DebugContext &debugContext = {});

// A tensor with the innermost two dimensions exchanged, filled when `cs` is executed.
poplar::Tensor partialTranspose(poplar::Graph &graph, const poplar::Tensor &in,
                                const poplar::ComputeSet &cs,
                                const poplar::DebugContext &debugContext = {});

// Groups smaller than this are not worth a transpose.
unsigned getMinimumRegroupGrainSize(const poplar::Type &type);

// A copy of t in which runs of to.second elements of dimension to.first lie together in memory,
// where before runs of from.second elements of from.first did. The copies go first, then
// `transposeCS` is executed.
poplar::Tensor regroupTensor(poplar::Graph &graph, const poplar::Tensor &t,
                             poplar::program::Sequence &copies,
                             const poplar::ComputeSet &transposeCS,
                             const poputil::GroupingInfo &from, const poputil::GroupingInfo &to,
                             const poplar::DebugContext &debugContext = {});
poplar::Tensor regroupTensor(poplar::Graph &graph, const poplar::Tensor &t,
                             std::vector<poplar::program::Copy> &copies,
                             const poplar::ComputeSet &transposeCS,
                             const poputil::GroupingInfo &from, const poputil::GroupingInfo &to,
                             const poplar::DebugContext &debugContext = {});

// The tensor itself if it has that grouping already, or no grouping that a transpose can start
// from.
poplar::Tensor regroupIfPossible(poplar::Graph &graph, const poplar::Tensor &t,
                                 poplar::program::Sequence &copies, const poputil::GroupingInfo &to,
                                 const poplar::DebugContext &debugContext = {});

// The tensor itself, or a copy with the innermost grouping of `ref` if that makes later copies
// between the two cheaper.
poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in,
                                   const poplar::Tensor &ref, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in,
                                   const poplar::Tensor &ref,
                                   std::vector<poplar::program::Copy> &copies,
                                   poplar::ComputeSet transposeCS,
                                   const poplar::DebugContext &debugContext = {});
// With groups of `preferredGrouping` elements of the innermost dimension.
poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in,
                                   std::size_t preferredGrouping, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {});

} // namespace rearrange
} // namespace popops
