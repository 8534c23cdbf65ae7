// SPDX-License-Identifier: MIT
// Tensors laid out for transfers with host memory.
#pragma once
#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace popops {

// Indices that the host gives, and the rows for them.
struct IndicesAndTensor {
  poplar::Tensor indices; // UNSIGNED_INT
  poplar::Tensor tensor;  // one row for each index
};

// A tensor [n, m] of n rows that are read from (isRead) or written to places in host memory, and
// the n UNSIGNED_INT indices that say which.
IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                           const std::vector<std::size_t> &shape, bool isRead,
                                           const poplar::DebugContext &debugContext = {});
// The same from tile `offset` on.
IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                           const std::vector<std::size_t> &shape, bool isRead,
                                           std::size_t offset,
                                           const poplar::DebugContext &debugContext = {});

// Any shape, transferred as a whole.
poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, bool isRead,
                                            const poplar::DebugContext &debugContext = {});
poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, bool isRead,
                                            std::size_t offset,
                                            const poplar::DebugContext &debugContext = {});

} // namespace popops
