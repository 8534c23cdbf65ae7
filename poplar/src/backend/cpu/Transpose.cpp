// SPDX-License-Identifier: MIT
// A block is one cache line wide and as high. Its lines are first brought into a small buffer,
// because lines that are a power of two apart fight for the same cache ways; 16-byte registers then
// exchange elements by repeated zipping: zipping row i with row i + n/2, log2(n) times, transposes
// n rows of n elements.
#include "backend/cpu/Transpose.hpp"
#include "base/VectorUnit.hpp"
#include <algorithm>
#include <cstring>
#include <utility>

namespace poplar::backend::cpu {
namespace {

constexpr std::size_t lineBytes = 64, registerBytes = 16;
constexpr std::uint64_t pagesPerBlock = 128;

template <class T> struct Register {
  static constexpr std::size_t n = registerBytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(registerBytes)));

  template <std::size_t... i> static Vector zipLow(Vector a, Vector b, std::index_sequence<i...>) {
    return __builtin_shufflevector(a, b, (i / 2 + (i % 2) * n)...);
  }
  template <std::size_t... i> static Vector zipHigh(Vector a, Vector b, std::index_sequence<i...>) {
    return __builtin_shufflevector(a, b, (n / 2 + i / 2 + (i % 2) * n)...);
  }
  static void transpose(Vector (&rows)[n]) {
    constexpr auto lanes = std::make_index_sequence<n>();
#pragma GCC unroll 4
    for (std::size_t stage = 1; stage < n; stage *= 2) {
      Vector next[n];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < n / 2; ++i) {
        next[2 * i] = zipLow(rows[i], rows[i + n / 2], lanes);
        next[2 * i + 1] = zipHigh(rows[i], rows[i + n / 2], lanes);
      }
      std::copy(next, next + n, rows);
    }
  }
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define OPENIPU_WIDE __attribute__((target("avx512f,avx512bw")))
bool hasWideRegisters() { return base::vectorUnit() >= base::VectorUnit::Avx512; }

// The same in registers of a whole line: a block is one register high and wide, and every line of
// the destination is written once.
template <class T>
OPENIPU_WIDE void wideBlock(const std::byte *from, std::int64_t fromPitch, std::byte *to,
                            std::int64_t toPitch) {
  constexpr std::size_t n = lineBytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(lineBytes)));
  Vector low, high; // lanes of a zip
  for (std::size_t i = 0; i < n; ++i) {
    low[i] = T(i / 2 + (i % 2) * n);
    high[i] = T(n / 2 + i / 2 + (i % 2) * n);
  }
  Vector rows[n], next[n];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < n; ++r)
    std::memcpy(&rows[r], from + std::int64_t(r) * fromPitch, lineBytes);
#pragma GCC unroll 4
  for (std::size_t stage = 1; stage < n; stage *= 2) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < n / 2; ++i) {
      next[2 * i] = __builtin_shuffle(rows[i], rows[i + n / 2], low);
      next[2 * i + 1] = __builtin_shuffle(rows[i], rows[i + n / 2], high);
    }
#pragma GCC unroll 16
    for (std::size_t r = 0; r < n; ++r)
      rows[r] = next[r];
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < n; ++r)
    std::memcpy(to + std::int64_t(r) * toPitch, &rows[r], lineBytes);
}
#else
bool hasWideRegisters() { return false; }
template <class T> void wideBlock(const std::byte *, std::int64_t, std::byte *, std::int64_t) {}
#endif

// A full block: lineBytes / sizeof(T) rows and columns.
template <class T>
void fullBlock(const std::byte *from, std::int64_t fromPitch, std::byte *to, std::int64_t toPitch) {
  using R = Register<T>;
  constexpr std::size_t side = lineBytes / sizeof(T);
  alignas(lineBytes) std::byte lines[side][lineBytes];
  for (std::size_t r = 0; r < side; ++r)
    std::memcpy(lines[r], from + std::int64_t(r) * fromPitch, lineBytes);
  for (std::size_t c = 0; c < side; c += R::n)
    for (std::size_t r = 0; r < side; r += R::n) {
      typename R::Vector v[R::n];
#pragma GCC unroll 16
      for (std::size_t i = 0; i < R::n; ++i)
        std::memcpy(&v[i], &lines[r + i][c * sizeof(T)], registerBytes);
      R::transpose(v);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < R::n; ++i)
        std::memcpy(to + std::int64_t(c + i) * toPitch + r * sizeof(T), &v[i], registerBytes);
    }
}

template <class T>
void partBlock(const std::byte *from, std::int64_t fromPitch, std::byte *to, std::int64_t toPitch,
               std::uint64_t rows, std::uint64_t columns) {
  for (std::uint64_t c = 0; c < columns; ++c)
    for (std::uint64_t r = 0; r < rows; ++r)
      std::memcpy(to + std::int64_t(c) * toPitch + r * sizeof(T),
                  from + std::int64_t(r) * fromPitch + c * sizeof(T), sizeof(T));
}

template <class T>
void smallBlocks(const std::byte *from, std::int64_t fromPitch, std::byte *to, std::int64_t toPitch,
                 std::uint64_t rows, std::uint64_t columns) {
  constexpr std::uint64_t side = lineBytes / sizeof(T);
  const bool inLines = sizeof(T) >= 4 && hasWideRegisters();
  for (std::uint64_t r = 0; r < rows; r += side)
    for (std::uint64_t c = 0; c < columns; c += side) {
      auto *source = from + std::int64_t(r) * fromPitch + c * sizeof(T);
      auto *target = to + std::int64_t(c) * toPitch + r * sizeof(T);
      auto high = std::min(side, rows - r), wide = std::min(side, columns - c);
      if (high == side && wide == side && inLines)
        wideBlock<T>(source, fromPitch, target, toPitch);
      else if (high == side && wide == side)
        fullBlock<T>(source, fromPitch, target, toPitch);
      else
        partBlock<T>(source, fromPitch, target, toPitch, high, wide);
    }
}

// Large blocks of small ones: few enough pages on either side for the translation buffers.
template <class T>
void blocked(const std::byte *from, std::int64_t fromPitch, std::byte *to, std::int64_t toPitch,
             std::uint64_t rows, std::uint64_t columns) {
  constexpr std::uint64_t side = pagesPerBlock;
  for (std::uint64_t r = 0; r < rows; r += side)
    for (std::uint64_t c = 0; c < columns; c += side)
      smallBlocks<T>(from + std::int64_t(r) * fromPitch + c * sizeof(T), fromPitch,
                     to + std::int64_t(c) * toPitch + r * sizeof(T), toPitch,
                     std::min(side, rows - r), std::min(side, columns - c));
}

} // namespace

void transpose(std::uint64_t unit, const std::byte *from, std::int64_t fromPitch, std::byte *to,
               std::int64_t toPitch, std::uint64_t rows, std::uint64_t columns) {
  switch (unit) {
  case 1:
    return blocked<std::uint8_t>(from, fromPitch, to, toPitch, rows, columns);
  case 2:
    return blocked<std::uint16_t>(from, fromPitch, to, toPitch, rows, columns);
  case 4:
    return blocked<std::uint32_t>(from, fromPitch, to, toPitch, rows, columns);
  default:
    return blocked<std::uint64_t>(from, fromPitch, to, toPitch, rows, columns);
  }
}

} // namespace poplar::backend::cpu
