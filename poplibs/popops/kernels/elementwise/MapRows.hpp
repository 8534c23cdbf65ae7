// SPDX-License-Identifier: MIT
// Rows of elements between tensors and the registers of the map kernel. A register holds values of
// the type that computes: halves are floats there.
#pragma once
#include "base/Half.hpp"
#include "openipu/TypeId.hpp"
#include <cstddef>
#include <cstdint>

namespace popops::rows {

using poplar::TypeId;

// n elements of `size` bytes, `stride` elements apart (0: one element n times), side by side.
void gather(std::size_t size, const std::byte *from, std::int64_t stride, std::byte *to,
            std::size_t n);
// `rows` times n elements: one element for each row, `step` elements apart, n times.
void repeatEach(std::size_t size, const std::byte *from, std::int64_t step, std::byte *to,
                std::size_t rows, std::size_t n);
// `rows` rows of n elements where the elements of a column lie together: column by column, to rows
// that are `pitch` elements apart.
void gatherAcross(std::size_t size, const std::byte *from, std::int64_t stride, std::byte *to,
                  std::size_t rows, std::size_t n, std::size_t pitch);

// One row of a tensor of this type to a register, and back. `overflow`: of values that are too
// large for half.
void load(TypeId type, const std::byte *from, std::int64_t stride, std::byte *to, std::size_t n);
void store(TypeId type, const std::byte *from, std::byte *to, std::int64_t stride, std::size_t n,
           base::HalfOverflow overflow);

} // namespace popops::rows
