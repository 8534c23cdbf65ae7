// SPDX-License-Identifier: MIT
// A matrix as the product of an orthogonal and an upper triangular one, by Householder reflections.
#pragma once
#include <array>
#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace poplin {
namespace experimental {

// {A [m, n], Q [m, m]}, laid out for QRFactorization.
std::array<poplar::Tensor, 2>
createQRFactorizationMatrices(poplar::Graph &graph, const poplar::Type &type, std::size_t m,
                              std::size_t n, const poplar::DebugContext &debugContext);

// A becomes R, and Q the orthogonal matrix with Q R = A; what Q held before does not matter. FLOAT.
// Option rowsPerIteration [32]: how many rows of the matrices a tile updates at a time.
void QRFactorization(poplar::Graph &graph, poplar::Tensor &A, poplar::Tensor &Q,
                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {});

} // namespace experimental
} // namespace poplin
