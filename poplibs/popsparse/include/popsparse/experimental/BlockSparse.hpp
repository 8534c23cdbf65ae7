// SPDX-License-Identifier: MIT
// Softmax over the rows of block-sparse matrices. A matrix of `dim` in blocks of `blockSize` has
// the blocks whose byte in `sparsity` (row by row, group after group) is not zero; a tensor holds
// them in that order as [blocks][elements of a block]. Blocks that are not there count as minus
// infinity.
#pragma once
#include <array>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <vector>

namespace popsparse {
namespace experimental {

// Elements inside the blocks that count as not there: above the diagonal, or below.
enum class SubBlockMask { None, ZeroUpperTriangle, ZeroLowerTriangle };

// Softmax over the rows of a block-sparse matrix; elements that are not held count as zero.
poplar::Tensor bsSoftmax(poplar::Graph &graph, poplar::Tensor sparseTensor,
                         const std::array<int, 2> &dim, const std::array<int, 2> &blockSize,
                         const std::vector<unsigned char> &sparsity, SubBlockMask subBlockMaskType,
                         unsigned numGroups, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});
poplar::Tensor bsSoftmax(poplar::Graph &graph, poplar::Tensor sparseTensor,
                         const std::array<int, 2> &dim, const std::array<int, 2> &blockSize,
                         const std::vector<unsigned char> &sparsity, SubBlockMask subBlockMaskType,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});
// bsSoftmax that overwrites its argument.
void bsSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor sparseTensor,
                      const std::array<int, 2> &dim, const std::array<int, 2> &blockSize,
                      const std::vector<unsigned char> &sparsity, SubBlockMask subBlockMaskType,
                      unsigned numGroups, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
void bsSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor sparseTensor,
                      const std::array<int, 2> &dim, const std::array<int, 2> &blockSize,
                      const std::vector<unsigned char> &sparsity, SubBlockMask subBlockMaskType,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

// From the softmax and the gradient of its output to the gradient of its input.
poplar::Tensor bsSoftmaxGrad(poplar::Graph &graph, poplar::Tensor sparseOut,
                             poplar::Tensor sparseOutGrad, const std::array<int, 2> &dim,
                             const std::array<int, 2> &blockSize,
                             const std::vector<unsigned char> &sparsity, unsigned numGroups,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});
poplar::Tensor bsSoftmaxGrad(poplar::Graph &graph, poplar::Tensor sparseOut,
                             poplar::Tensor sparseOutGrad, const std::array<int, 2> &dim,
                             const std::array<int, 2> &blockSize,
                             const std::vector<unsigned char> &sparsity,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace popsparse
