// SPDX-License-Identifier: MIT
// How the dimensions of a tensor lie in the memory of tiles, and tensors laid out in partitions.
#pragma once
#include <cstddef>
#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <utility>
#include <vector>

namespace poputil {

// The largest g so that the innermost dimension is made of aligned runs of g elements that are
// neighbours in the memory of one tile. Of large tensors, the first rows are looked at.
unsigned detectInnermostGrouping(const poplar::Graph &graph, const poplar::Tensor &t);

// A dimension, and how many of its elements lie together.
using GroupingInfo = std::pair<unsigned, unsigned>;

// All groupings larger than one, innermost in memory first; a dimension may come up more than once.
std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph, const poplar::Tensor &t);

// A tensor in which every partition is one stretch of memory; without a tile mapping. Dimension d
// of size n is cut at i * n / nPartitions[d].
poplar::Tensor createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type,
                                         const std::vector<std::size_t> &shape,
                                         const std::vector<std::size_t> &nPartitions,
                                         const poplar::DebugContext &debugContext = {});

// Calls f(indices, slice) for every partition, the last dimension fastest.
void iterateTensorPartitions(
    const poplar::Tensor &t, const std::vector<std::size_t> &nPartitions,
    const std::function<void(const std::vector<std::size_t> &i, const poplar::Tensor &s)> &f);

} // namespace poputil
