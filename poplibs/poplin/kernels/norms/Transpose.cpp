// SPDX-License-Identifier: MIT
#include "Transpose.hpp"
#include "Lanes.hpp"
#include <algorithm>

namespace poplin::norms {
namespace {

OPENIPU_SIMD void wholeTiles(const float *from, std::int64_t fromLd, float *to, std::int64_t toLd,
                             std::size_t rows, std::size_t columns) {
  for (std::size_t j = 0; j < columns; j += lanes)
    for (std::size_t i = 0; i < rows; i += lanes) {
      Lanes m[lanes];
      for (std::size_t k = 0; k < lanes; ++k)
        m[k] = lanesAt(from + std::int64_t(j + k) * fromLd + std::int64_t(i));
      base::turn(m);
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
