// SPDX-License-Identifier: MIT
// Copies runs of elements of any type, contiguous or strided.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace popops::slice {

constexpr std::size_t bytesPerThread = 1 << 15; // less is not worth waking a thread

template <class T>
void copyStrided(std::byte *to, std::int64_t toStride, const std::byte *from,
                 std::int64_t fromStride, std::size_t n) {
  auto *d = reinterpret_cast<T *>(to);
  auto *s = reinterpret_cast<const T *>(from);
  for (std::size_t i = 0; i != n; ++i, d += toStride, s += fromStride)
    *d = *s;
}

inline void copyRun(std::byte *to, std::int64_t toStride, const std::byte *from,
                    std::int64_t fromStride, std::size_t n, std::size_t bytes) {
  if (toStride == 1 && fromStride == 1)
    std::memcpy(to, from, n * bytes);
  else if (bytes == 1)
    copyStrided<std::uint8_t>(to, toStride, from, fromStride, n);
  else if (bytes == 2)
    copyStrided<std::uint16_t>(to, toStride, from, fromStride, n);
  else if (bytes == 4)
    copyStrided<std::uint32_t>(to, toStride, from, fromStride, n);
  else
    copyStrided<std::uint64_t>(to, toStride, from, fromStride, n);
}

} // namespace popops::slice
