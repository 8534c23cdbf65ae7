// SPDX-License-Identifier: MIT
// Products of a sparse [m][k] matrix with a dense [k][n] one, or of a dense [n][k] with a sparse
// [k][m].
#pragma once
#include <cstddef>
#include <ostream>
#include <popsparse/SparsityParams.hpp>

namespace popsparse {
namespace dynamic {

class MatMulParams {
public:
  // nzRatio: the largest share of elements that are not zero, in (0, 1]. Throws poplibs_error for
  // values that cannot be.
  static MatMulParams createWithNzRatio(const SparsityParams &sparsityParams, double nzRatio,
                                        std::size_t groups, std::size_t m, std::size_t k,
                                        std::size_t n);
  static MatMulParams createWithNumNonZeroValues(const SparsityParams &sparsityParams,
                                                 std::size_t numNonZeroElems, std::size_t groups,
                                                 std::size_t m, std::size_t k, std::size_t n);

  // Single elements, or blocks.
  const SparsityParams &getSparsityParams() const { return sparsityParams_; }
  std::size_t getNumGroups() const { return groups_; } // products that are computed together
  std::size_t getM() const { return m_; } // the size of the sparse matrix that is not k
  std::size_t getK() const { return k_; } // the size that is summed over
  std::size_t getN() const { return n_; } // the size of the dense matrix that is not k
  double getNzRatio() const;              // the largest share of elements that are not zero
  // The most elements that are not zero.
  std::size_t getNumNonZeroValues() const { return numNonZeroValues_; }

  friend bool operator==(const MatMulParams &a, const MatMulParams &b) {
    return !(a < b) && !(b < a);
  }
  friend bool operator!=(const MatMulParams &a, const MatMulParams &b) { return !(a == b); }
  friend bool operator<(const MatMulParams &a, const MatMulParams &b);

private:
  SparsityParams sparsityParams_;
  std::size_t numNonZeroValues_ = 0, groups_ = 0, m_ = 0, k_ = 0, n_ = 0;
};

std::ostream &operator<<(std::ostream &out, const MatMulParams &params);

} // namespace dynamic

namespace static_ {

class MatMulParams {
public:
  // Sparse [m][k] times dense [k][n].
  static MatMulParams createForSparseDense(std::size_t groups, std::size_t m, std::size_t k,
                                           std::size_t n);
  // Dense [n][k] times sparse [k][m].
  static MatMulParams createForDenseSparse(std::size_t groups, std::size_t n, std::size_t k,
                                           std::size_t m);

  std::size_t getNumGroups() const { return groups_; } // products that are computed together
  std::size_t getM() const { return m_; }             // the size of the sparse matrix that is not k
  std::size_t getK() const { return k_; }             // the size that is summed over
  std::size_t getN() const { return n_; }             // the size of the dense matrix that is not k
  bool isSparseDense() const { return sparseDense_; } // whether the left operand is the sparse one

  friend bool operator==(const MatMulParams &a, const MatMulParams &b) {
    return !(a < b) && !(b < a);
  }
  friend bool operator!=(const MatMulParams &a, const MatMulParams &b) { return !(a == b); }
  friend bool operator<(const MatMulParams &a, const MatMulParams &b);

private:
  std::size_t groups_ = 0, m_ = 0, k_ = 0, n_ = 0;
  bool sparseDense_ = true;
};

std::ostream &operator<<(std::ostream &out, const MatMulParams &params);

} // namespace static_
} // namespace popsparse
