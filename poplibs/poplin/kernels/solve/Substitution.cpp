// SPDX-License-Identifier: MIT
#include "solve/Substitution.hpp"
#include "base/Threads.hpp"
#include <algorithm>

namespace poplin::solve {

namespace {

// Rows [begin, end) of b, columns [c0, c1), by forward substitution.
void solveDiagonalBlock(const float *l, std::size_t ldl, std::size_t begin, std::size_t end,
                        bool unitDiagonal, float *b, std::size_t ldb, std::size_t c0,
                        std::size_t c1) {
  for (auto i = begin; i < end; ++i) {
    float *row = b + i * ldb;
    for (auto j = begin; j < i; ++j) {
      const float factor = l[i * ldl + j];
      const float *solved = b + j * ldb;
      for (auto c = c0; c < c1; ++c)
        row[c] -= factor * solved[c];
    }
    if (!unitDiagonal)
      for (auto c = c0; c < c1; ++c)
        row[c] /= l[i * ldl + i];
  }
}

} // namespace

void solveLower(const float *l, std::size_t ldl, std::size_t n, bool unitDiagonal, float *b,
                std::size_t ldb, std::size_t k) {
  for (std::size_t begin = 0; begin < n; begin += hostBlock) {
    const auto end = std::min(begin + hostBlock, n);
    base::parallelFor(k, 64, [&](std::size_t c0, std::size_t c1, unsigned) {
      solveDiagonalBlock(l, ldl, begin, end, unitDiagonal, b, ldb, c0, c1);
    });
    multiply(n - end, k, end - begin, matrix(l + end * ldl + begin, ldl),
             matrix(b + begin * ldb, ldb), matrix(b + end * ldb, ldb), -1, 1);
  }
}

} // namespace poplin::solve
