// SPDX-License-Identifier: MIT
// Systems of linear equations with a triangular matrix of coefficients, alone or in batches.
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

// Tensors laid out for triangularSolve: a [..., N, N] and b [..., N, K] (left) or [..., K, N].
poplar::Tensor createTriangularSolveInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                             const poplar::Type &outputType,
                                             const std::vector<std::size_t> &aShape,
                                             const std::vector<std::size_t> &bShape, bool leftSide,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options = {},
                                             PlanningCache *cache = nullptr);
poplar::Tensor createTriangularSolveInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                             const poplar::Type &outputType,
                                             const std::vector<std::size_t> &aShape,
                                             const std::vector<std::size_t> &bShape, bool leftSide,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options = {},
                                             PlanningCache *cache = nullptr);

// `a` with the other triangle set to zero, and the diagonal to one if `unitDiagonal`.
poplar::Tensor triangularMask(poplar::Graph &graph, const poplar::Tensor &a, bool lower,
                              bool unitDiagonal, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {});

// x with a x = b (leftSide) or x a = b. Only the named triangle of `a` is read; its diagonal is not
// read but taken as one if `unitDiagonal`. Option blockSize [64], and those of matMul.
poplar::Tensor triangularSolve(poplar::Graph &graph, const poplar::Tensor &a,
                               const poplar::Tensor &b, bool leftSide, bool lower,
                               bool unitDiagonal, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {},
                               PlanningCache *cache = nullptr);

// The products that triangularSolve plans, for preplanMatMuls.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getTriangularSolveMatMulPrePlanParameters(
    const poplar::Type &inputType, const poplar::Type &outputType,
    const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape, bool leftSide,
    bool lower, const poplar::OptionFlags &options);

} // namespace poplin
