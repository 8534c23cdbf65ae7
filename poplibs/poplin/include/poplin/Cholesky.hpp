// SPDX-License-Identifier: MIT
// Cholesky factorisation of symmetric positive definite matrices, alone or in batches.
#pragma once
#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/MatMul.hpp>
#include <poputil/DebugInfo.hpp>
#include <utility>
#include <vector>

namespace poplin {

class PlanningCache;

// The products that cholesky plans, for preplanMatMuls.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getCholeskyMatMulPrePlanParameters(const poplar::Type &type, const std::vector<std::size_t> &shape,
                                   bool lower, poplar::OptionFlags options);

// A tensor [..., N, N] laid out for cholesky.
poplar::Tensor createCholeskyInput(poplar::Graph &graph, const poplar::Type &type,
                                   const std::vector<std::size_t> &shape, bool lower,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {},
                                   PlanningCache *cache = nullptr);

// L with L L^T = a if `lower`, else U with U^T U = a; the other triangle of the result is zero, and
// that of `a` is not read. A matrix that is not positive definite gives NaN. Option blockSize
// [8, at most N], and those of matMul.
poplar::Tensor cholesky(poplar::Graph &graph, const poplar::Tensor &a, bool lower,
                        poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
void choleskyInPlace(poplar::Graph &graph, const poplar::Tensor &a, bool lower,
                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace poplin
