// SPDX-License-Identifier: MIT
// Products with block-sparse matrices whose pattern is part of the graph: dense x sparse -> dense,
// and dense x dense -> sparse. Block sizes are multiples of 8 (half) or 4 (float). Sparse tensors
// are [blocks][elements of a block], the blocks row by row, group after group. Dense ones are
// [m][k], with the groups in front if there are several.
// Options: memoryCycleRatio (0: fast, 1: small), partitionMethod (block, block-naive, strip,
// stripv0), numberOfPass (of dense x sparse: the rows of the dense matrix in so many parts, one
// after the other; 1).
#pragma once
#include <array>
#include <memory>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popsparse/experimental/BlockSparse.hpp>
#include <poputil/DebugInfo.hpp>
#include <vector>

namespace popsparse {
namespace experimental {

class BSMatMulImpl;

// A product with one block-sparse operand or result: sizes, blocks, and which blocks are there.
class BSMatMulParams {
public:
  // Dense [m][k] times sparse [k][n]. rhsNeedTranspose: the sparse matrix is stored as [n][k], its
  // blocks and rhsSparsity too.
  BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                 const std::vector<unsigned char> &rhsSparsity, bool rhsNeedTranspose,
                 poplar::Type inDataType, poplar::Type outDataType, poplar::Type partialDataType,
                 unsigned numGroups = 1);
  // Dense [m][k] times dense [k][n]: the blocks of resSparsity.
  BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                 const std::vector<unsigned char> &resSparsity, poplar::Type inDataType,
                 poplar::Type outDataType, poplar::Type partialDataType,
                 SubBlockMask subBlockMask = SubBlockMask::None, unsigned numGroups = 1);
  BSMatMulParams(BSMatMulParams &&other);
  ~BSMatMulParams();

  std::unique_ptr<BSMatMulImpl> impl; // for the library itself
};

// The left operand, laid out for bsMatMul; only the blocks that are there if it is sparse.
poplar::Tensor createBSMatMulInputLHS(poplar::Graph &graph, const BSMatMulParams &bsMatMul,
                                      const poplar::DebugContext &debugContext,
                                      const poplar::OptionFlags &options = {});
// The right operand, in the same way.
poplar::Tensor createBSMatMulInputRHS(poplar::Graph &graph, const BSMatMulParams &bsMatMul,
                                      const poplar::DebugContext &debugContext,
                                      const poplar::OptionFlags &options = {});
// The product. Throws poputil::poplibs_error if operands and params do not fit.
poplar::Tensor bsMatMul(poplar::Graph &graph, const BSMatMulParams &bsMatMulParams,
                        poplar::program::Sequence &prog, const poplar::Tensor &lhsMatrix,
                        const poplar::Tensor &rhsMatrix, const poplar::OptionFlags &options = {},
                        const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace popsparse
