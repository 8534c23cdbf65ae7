// SPDX-License-Identifier: MIT
// Marks that lie across the order in which they are used, turned by blocks of 16 x 16 bytes.
#pragma once
#include <cstddef>
#include <cstdint>

namespace poprand {

constexpr std::size_t tileRows = 16;

// tile[r][i] = marks[i * stride + r] for rows r < rows (at most tileRows) and i < n. A row of the
// tile is `ld` bytes.
void turnMarks(const std::uint8_t *marks, std::int64_t stride, std::size_t rows, std::size_t n,
               std::uint8_t *tile, std::size_t ld);

} // namespace poprand
