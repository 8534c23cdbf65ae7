// SPDX-License-Identifier: MIT
// Products of sparse and dense matrices. dynamic: the pattern may change while the program runs
// (options as in popsparse/FullyConnected.hpp). static_: the pattern is part of the graph (options
// numBands, nSplit, availableMemoryProportion, enablePreprocessing, partialsType). Dense operands
// have a leading dimension of one group.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <popsparse/SparseTensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popsparse {
namespace dynamic {

// Sparse [m][k].
SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr);
// Dense [groups][k][n].
poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {},
                                          PlanningCache *cache = nullptr);
// lhs, from createSparseDenseMatMulLHS, times rhs: [groups][m][n], or [groups][k][n] if the lhs is
// transposed.
poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs,
                                 const poplar::Tensor &rhs, poplar::program::Sequence &prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);

} // namespace dynamic

namespace static_ {

// Sparse [m][k] with the pattern of the matrix.
template <class T>
SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params, const CSRMatrix<T> &matrixLHS,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr);
// Sparse [k][m] with the pattern of the matrix.
template <class T>
SparseTensor createDenseSparseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params, const CSRMatrix<T> &matrixRHS,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr);
// Dense [groups][k][n].
template <class T>
poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params, const CSRMatrix<T> &matrixLHS,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {},
                                          PlanningCache *cache = nullptr);
// Dense [groups][n][k].
template <class T>
poplar::Tensor createDenseSparseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params, const CSRMatrix<T> &matrixRHS,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {},
                                          PlanningCache *cache = nullptr);

// Sparse [groups][m][k] times dense [groups][k][n].
poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs,
                                 const poplar::Tensor &rhs, poplar::program::Sequence &prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);
// Dense [groups][n][k] times sparse [groups][k][m].
poplar::Tensor denseSparseMatMul(poplar::Graph &graph, const poplar::Tensor &lhs,
                                 const SparseTensor &rhs, poplar::program::Sequence &prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);

} // namespace static_
} // namespace popsparse
