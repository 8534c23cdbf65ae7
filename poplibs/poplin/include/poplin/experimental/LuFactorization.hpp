// SPDX-License-Identifier: MIT
// A matrix as the product of a lower triangular one with ones on its diagonal and an upper
// triangular one, without exchanging rows.
#pragma once
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <utility>

namespace poplin {
namespace experimental {

// L [M, M] and U [M, N] with L U = input [M, N]; FLOAT. A zero pivot gives infinities or NaN.
std::pair<poplar::Tensor, poplar::Tensor>
LUFactorization(poplar::Graph &graph, poplar::Tensor &input, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace poplin
