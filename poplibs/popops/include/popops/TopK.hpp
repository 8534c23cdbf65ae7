// SPDX-License-Identifier: MIT
// The k largest or smallest elements of the innermost dimension. Keys are FLOAT, HALF, INT or
// UNSIGNED_INT. The program comes before the tensor in these functions.
#pragma once
#include <cstddef>
#include <iosfwd>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/SortOrder.hpp>
#include <poputil/DebugInfo.hpp>
#include <utility>
#include <vector>

namespace popops {

// How many elements are wanted, of which end, in which order.
struct TopKParams {
  unsigned k;          // how many
  bool largest;        // true: the largest; false: the smallest
  SortOrder sortOrder; // of the result
  bool stableSort;     // equal keys keep their order; not with topKKeyValue

  TopKParams(unsigned k, bool largest, SortOrder sortOrder, bool stableSort = false) noexcept
      : k(k), largest(largest), sortOrder(sortOrder), stableSort(stableSort) {}
};
std::ostream &operator<<(std::ostream &out, const TopKParams &params);

// A tensor of this shape, laid out for topK.
poplar::Tensor createTopKInput(poplar::Graph &graph, const poplar::Type &type,
                               const std::vector<std::size_t> &shape, const TopKParams &params,
                               const poplar::DebugContext &debugContext = {});

// [..., n] -> [..., k]
poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
                    const TopKParams &params, const poplar::DebugContext &debugContext = {});

// Keys and the values that belong to them; both have the same shape.
std::pair<poplar::Tensor, poplar::Tensor>
topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &keys,
             const poplar::Tensor &values, const TopKParams &params,
             const poplar::DebugContext &debugContext = {});

// Keys and their indices (UNSIGNED_INT).
std::pair<poplar::Tensor, poplar::Tensor>
topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
                    const TopKParams &params, const poplar::DebugContext &debugContext = {});

} // namespace popops
