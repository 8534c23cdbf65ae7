// SPDX-License-Identifier: MIT
// Running sums along one dimension.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// Element i of dimension `dim` becomes the sum of elements 0 to i. FLOAT, HALF (summed as FLOAT),
// INT or UNSIGNED_INT.
poplar::Tensor cumulativeSum(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});

} // namespace popops
