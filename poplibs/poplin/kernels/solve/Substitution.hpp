// SPDX-License-Identifier: MIT
// Substitution on plain matrices, and products of them.
#pragma once
#include "poplin/Gemm.hpp"

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

} // namespace poplin::solve
