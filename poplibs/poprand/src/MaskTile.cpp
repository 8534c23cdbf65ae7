// SPDX-License-Identifier: MIT
#include "MaskTile.hpp"
#include "base/Simd.hpp"
#include <cstring>

namespace poprand {
namespace {

typedef std::uint8_t Bytes __attribute__((vector_size(16), aligned(1), may_alias));

// Four times: the upper and the lower half of the rows interleaved.
OPENIPU_INLINE void turn(Bytes (&m)[tileRows]) {
  for (unsigned step = 0; step < 4; ++step) {
    Bytes next[tileRows];
    for (unsigned i = 0; i < tileRows / 2; ++i) {
      const Bytes a = m[i], b = m[i + tileRows / 2];
      next[2 * i] =
          __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                                14, 30, 15, 31);
    }
    std::memcpy(m, next, sizeof m);
  }
}

OPENIPU_SIMD void wholeBlocks(const std::uint8_t *marks, std::int64_t stride, std::size_t n,
                              std::uint8_t *tile, std::size_t ld) {
  for (std::size_t i = 0; i < n; i += 16) {
    Bytes m[tileRows];
    for (std::size_t k = 0; k < 16; ++k)
      m[k] = *reinterpret_cast<const Bytes *>(marks + std::int64_t(i + k) * stride);
    turn(m);
    for (std::size_t k = 0; k < 16; ++k)
      *reinterpret_cast<Bytes *>(tile + k * ld + i) = m[k];
  }
}

} // namespace

void turnMarks(const std::uint8_t *marks, std::int64_t stride, std::size_t rows, std::size_t n,
               std::uint8_t *tile, std::size_t ld) {
  const std::size_t whole = rows == tileRows ? n / 16 * 16 : 0;
  wholeBlocks(marks, stride, whole, tile, ld);
  for (auto i = whole; i < n; ++i)
    for (std::size_t r = 0; r < rows; ++r)
      tile[r * ld + i] = marks[std::int64_t(i) * stride + std::int64_t(r)];
}

} // namespace poprand
