// SPDX-License-Identifier: MIT
// Parts that the solvers share: substitution on plain matrices, options, checks.
#pragma once
#include "poplin/Gemm.hpp"
#include "poplin/ProductPlan.hpp"
#include <poplar/Tensor.hpp>
#include <string>

namespace poplin::solve {

constexpr std::size_t hostBlock =
    64; // rows that fit the first cache beside what they are applied to

// b[n][k] := l^-1 b, with l[n][n] lower triangular (rows ldl apart) and b's rows ldb apart.
void solveLower(const float *l, std::size_t ldl, std::size_t n, bool unitDiagonal, float *b,
                std::size_t ldb, std::size_t k);
// c[m][n] = beta c + alpha a[m][k] b[k][n].
inline void multiply(std::size_t m, std::size_t n, std::size_t k, const GemmMatrix &a,
                     const GemmMatrix &b, const GemmMatrix &c, float alpha = 1, float beta = 0) {
  if (m && n)
    gemm({m, n, k, a, b, c, alpha, beta, 1});
}
inline GemmMatrix matrix(const float *data, std::size_t row) {
  return GemmMatrix::of(data, std::int64_t(row));
}

struct Options {
  std::size_t blockSize;
  ConvOptions product;
};
Options parseOptions(const poplar::OptionFlags &options, std::size_t blockSize);
// Without blockSize: what matMul takes.
poplar::OptionFlags matMulOptions(const poplar::OptionFlags &options);

// [..., N, N] of float or half, or poplibs_error.
void checkSquare(const char *function, const char *what, const poplar::Type &type,
                 const std::vector<std::size_t> &shape);
// What factorising matrices of this shape takes on the tiles.
openipu::Plan choleskyPlan(const poplar::Target &target, const poplar::Type &type,
                           const std::vector<std::size_t> &shape, const Options &options,
                           PlanningCache *cache);

std::size_t batches(const std::vector<std::size_t> &shape); // product of all but the last two

} // namespace poplin::solve
