// SPDX-License-Identifier: MIT
#include "MaskTile.hpp"
#include "base/Lanes.hpp"

namespace poprand {
namespace {

typedef std::uint8_t Bytes __attribute__((vector_size(16), aligned(1), may_alias));

OPENIPU_SIMD void wholeBlocks(const std::uint8_t *marks, std::int64_t stride, std::size_t n,
                              std::uint8_t *tile, std::size_t ld) {
  for (std::size_t i = 0; i < n; i += 16) {
    Bytes m[tileRows];
    for (std::size_t k = 0; k < 16; ++k)
      m[k] = *reinterpret_cast<const Bytes *>(marks + std::int64_t(i + k) * stride);
    base::turn(m);
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
