// SPDX-License-Identifier: MIT
// Blocked transposes of matrices whose elements have 1, 2, 4 or 8 bytes.
#pragma once
#include <cstddef>
#include <cstdint>

namespace poplar::backend::cpu {

constexpr bool canTranspose(std::uint64_t unit) {
  return unit == 1 || unit == 2 || unit == 4 || unit == 8;
}

// to[c * toPitch + r * unit] = from[r * fromPitch + c * unit] for r < rows, c < columns. Pitches
// are in bytes and may be negative. The two areas do not overlap.
void transpose(std::uint64_t unit, const std::byte *from, std::int64_t fromPitch, std::byte *to,
               std::int64_t toPitch, std::uint64_t rows, std::uint64_t columns);

} // namespace poplar::backend::cpu
