// SPDX-License-Identifier: MIT
#include "Transpose.hpp"
#include "Lanes.hpp"
#include <algorithm>

namespace poplin::norms {
namespace {

// Four times: the upper and the lower half of the rows interleaved.
OPENIPU_INLINE void turn(Lanes (&m)[lanes]) {
  for (unsigned step = 0; step < 4; ++step) {
    Lanes next[lanes];
    for (unsigned i = 0; i < lanes / 2; ++i) {
      const Lanes a = m[i], b = m[i + lanes / 2];
      next[2 * i] =
          __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                                14, 30, 15, 31);
    }
    for (unsigned i = 0; i < lanes; ++i)
      m[i] = next[i];
  }
}

OPENIPU_SIMD void wholeTiles(const float *from, std::int64_t fromLd, float *to, std::int64_t toLd,
                             std::size_t rows, std::size_t columns) {
  for (std::size_t j = 0; j < columns; j += lanes)
    for (std::size_t i = 0; i < rows; i += lanes) {
      Lanes m[lanes];
      for (std::size_t k = 0; k < lanes; ++k)
        m[k] = lanesAt(from + std::int64_t(j + k) * fromLd + std::int64_t(i));
      turn(m);
      for (std::size_t k = 0; k < lanes; ++k)
        lanesAt(to + std::int64_t(i + k) * toLd + std::int64_t(j)) = m[k];
    }
}

} // namespace

void transpose(const float *from, std::int64_t fromLd, float *to, std::int64_t toLd,
               std::size_t rows, std::size_t columns) {
  const std::size_t wholeRows = rows / lanes * lanes, wholeColumns = columns / lanes * lanes;
  wholeTiles(from, fromLd, to, toLd, wholeRows, wholeColumns);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = j < wholeColumns ? wholeRows : 0; i < rows; ++i)
      to[std::int64_t(i) * toLd + std::int64_t(j)] =
          from[std::int64_t(j) * fromLd + std::int64_t(i)];
}

} // namespace poplin::norms
