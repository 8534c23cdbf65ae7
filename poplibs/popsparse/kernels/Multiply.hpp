// SPDX-License-Identifier: MIT
// Host arithmetic on sparse matrices in blocks and dense ones in rows of floats. Sums are made in
// the order of the blocks within a line, so threads do not change results.
#pragma once
#include "openipu/Kernel.hpp"
#include "popsparse/Buckets.hpp"
#include <vector>

namespace popsparse {

using openipu::KernelOperand;

// Blocks by line of the result: those of line i are [start[i], start[i + 1]).
struct Lines {
  std::vector<std::uint32_t> start, other, slot;
};
// By line, or by stack for products with the transposed matrix.
Lines group(const std::vector<Placed> &blocks, std::size_t count, bool byStack);

struct BlockShape {
  std::size_t rows, columns;
  bool transposed; // the matrix that multiplies is the transpose
  std::size_t outRows() const { return transposed ? columns : rows; }
  std::size_t inRows() const { return transposed ? rows : columns; }
};

// y[lines * outRows][n] = S * x, rows of x and y being ldx and ldy floats apart.
void multiply(const Lines &lines, const BlockShape &block, const float *values, const float *x,
              std::size_t ldx, float *y, std::size_t ldy, std::size_t n);
// values[slot][r][c] = sum over n of g[line * rows + r][n] * x[stack * columns + c][n].
void outerBlocks(const std::vector<Placed> &blocks, const BlockShape &block, const float *g,
                 std::size_t ldg, const float *x, std::size_t ldx, std::size_t n, float *values);

// A matrix as rows of floats: the operand itself if it is that, or a copy.
class DenseRows {
public:
  void read(const KernelOperand &matrix); // rank 2
  const float *data() const { return data_; }
  std::size_t stride() const { return stride_; }

private:
  std::vector<float> copy_;
  const float *data_ = nullptr;
  std::size_t stride_ = 0;
};

// A matrix to write: rows of floats that end up in the operand.
class DenseResult {
public:
  float *begin(const KernelOperand &matrix); // where to write
  std::size_t stride() const { return stride_; }
  void end(bool roundToHalf); // through half, if partial sums are half

private:
  const KernelOperand *matrix_ = nullptr;
  std::vector<float> copy_;
  float *data_ = nullptr;
  std::size_t stride_ = 0;
};

} // namespace popsparse
