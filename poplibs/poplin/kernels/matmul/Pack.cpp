// SPDX-License-Identifier: MIT
#include "matmul/Pack.hpp"
#include "base/Arithmetic.hpp"
#include "base/Half.hpp"
#include "base/Simd.hpp"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <sys/mman.h>

namespace poplin {
namespace {

using poplar::TypeId;
constexpr std::size_t block = 256; // floats converted at a time, in first-level cache

struct Buffer {
  void *data = nullptr;
  std::size_t size = 0;
  void grow(std::size_t bytes) {
    ::operator delete(data, std::align_val_t(64));
    data = nullptr, size = 0;
    data = ::operator new(bytes, std::align_val_t(64));
    size = bytes;
  }
  ~Buffer() { ::operator delete(data, std::align_val_t(64)); }
};

typedef float F8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int I8 __attribute__((vector_size(32)));

// Three rounds of exchanges between rows at distance 1, 2 and 4.
OPENIPU_SIMD void transpose8(const float *from, std::int64_t ldFrom, float *to, std::int64_t ldTo) {
  F8 a[8], b[8];
  for (int i = 0; i < 8; ++i)
    a[i] = *reinterpret_cast<const F8 *>(from + i * ldFrom);
  for (int i = 0; i < 8; i += 2) {
    b[i] = __builtin_shuffle(a[i], a[i + 1], I8{0, 8, 2, 10, 4, 12, 6, 14});
    b[i + 1] = __builtin_shuffle(a[i], a[i + 1], I8{1, 9, 3, 11, 5, 13, 7, 15});
  }
  for (int i = 0; i < 8; ++i)
    if (!(i & 2)) {
      a[i] = __builtin_shuffle(b[i], b[i + 2], I8{0, 1, 8, 9, 4, 5, 12, 13});
      a[i + 2] = __builtin_shuffle(b[i], b[i + 2], I8{2, 3, 10, 11, 6, 7, 14, 15});
    }
  for (int i = 0; i < 4; ++i) {
    b[i] = __builtin_shuffle(a[i], a[i + 4], I8{0, 1, 2, 3, 8, 9, 10, 11});
    b[i + 4] = __builtin_shuffle(a[i], a[i + 4], I8{4, 5, 6, 7, 12, 13, 14, 15});
  }
  for (int i = 0; i < 8; ++i)
    *reinterpret_cast<F8 *>(to + i * ldTo) = b[i];
}

// to[j * ldTo + i] = from[i * ldFrom + j]
void transpose(const float *from, std::int64_t ldFrom, std::size_t rows, std::size_t columns,
               float *to, std::int64_t ldTo) {
  std::size_t fullRows = rows / 8 * 8, fullColumns = columns / 8 * 8;
  for (std::size_t i = 0; i < fullRows; i += 8)
    for (std::size_t j = 0; j < fullColumns; j += 8)
      transpose8(from + i * ldFrom + j, ldFrom, to + j * ldTo + i, ldTo);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = i < fullRows ? fullColumns : 0; j < columns; ++j)
      to[j * ldTo + i] = from[i * ldFrom + j];
}

void packFloat(Strided from, std::size_t rows, std::size_t columns, float *to, std::size_t ld) {
  auto *data = static_cast<const float *>(from.data);
  if (from.column == 1) {
    for (std::size_t i = 0; i < rows; ++i)
      std::memcpy(to + i * ld, data + std::int64_t(i) * from.row, columns * sizeof(float));
  } else if (from.row == 1) {
    transpose(data, from.column, columns, rows, to, ld);
  } else {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        to[i * ld + j] = data[std::int64_t(i) * from.row + std::int64_t(j) * from.column];
  }
}

void packHalf(Strided from, std::size_t rows, std::size_t columns, float *to, std::size_t ld) {
  auto *data = static_cast<const std::uint16_t *>(from.data);
  if (from.column == 1) {
    for (std::size_t i = 0; i < rows; ++i)
      base::halfToFloat(data + std::int64_t(i) * from.row, to + i * ld, columns);
  } else if (from.row == 1) {
    float line[8 * block];
    for (std::size_t j = 0; j < columns; j += 8)
      for (std::size_t i = 0; i < rows; i += block) {
        auto width = std::min(block, rows - i), height = std::min<std::size_t>(8, columns - j);
        for (std::size_t t = 0; t < height; ++t)
          base::halfToFloat(data + i + std::int64_t(j + t) * from.column, line + t * block, width);
        transpose(line, block, height, width, to + i * ld + j, ld);
      }
  } else {
    std::uint16_t line[block];
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; j += block) {
        auto width = std::min(block, columns - j);
        for (std::size_t t = 0; t < width; ++t)
          line[t] = data[std::int64_t(i) * from.row + std::int64_t(j + t) * from.column];
        base::halfToFloat(line, to + i * ld + j, width);
      }
  }
}

OPENIPU_SIMD void blend(const float *from, float *to, std::size_t n, float alpha, float beta) {
  if (beta == 0)
    for (std::size_t i = 0; i < n; ++i)
      to[i] = alpha * from[i];
  else
    for (std::size_t i = 0; i < n; ++i)
      to[i] = beta * to[i] + alpha * from[i];
}

// One row of `to`, by way of floats that lie side by side.
void unpackRow(const float *from, std::size_t columns, Strided to, float alpha, float beta) {
  for (std::size_t j = 0; j < columns; j += block) {
    float line[block];
    auto width = std::min(block, columns - j);
    auto part = to.at(0, j);
    if (beta != 0)
      pack(part, 1, width, line, width);
    blend(from + j, line, width, alpha, beta);
    if (to.type == TypeId::Float) {
      for (std::size_t t = 0; t < width; ++t)
        static_cast<float *>(part.data)[std::int64_t(t) * to.column] = line[t];
      continue;
    }
    std::uint16_t halves[block];
    base::floatToHalf(line, halves, width);
    for (std::size_t t = 0; t < width; ++t)
      static_cast<std::uint16_t *>(part.data)[std::int64_t(t) * to.column] = halves[t];
  }
}

} // namespace

float *KeptFloats::grow(std::size_t floats) {
  if (floats <= size_ && data_)
    return data_;
  release();
  constexpr std::size_t page = 2 << 20;
  bytes_ = floats * sizeof(float) + 4096;
  const auto align = bytes_ > page ? page : 64;
  data_ = static_cast<float *>(std::aligned_alloc(align, base::roundUp(bytes_, align)));
  if (!data_)
    throw std::bad_alloc();
  if (align == page)
    madvise(data_, bytes_, MADV_HUGEPAGE);
  size_ = floats;
  return data_;
}

void KeptFloats::release() {
  std::free(data_);
  data_ = nullptr, size_ = 0;
}

void *scratchBytes(Slot slot, std::size_t bytes) {
  thread_local Buffer buffers[static_cast<unsigned>(Slot::Count)];
  auto &buffer = buffers[static_cast<unsigned>(slot)];
  if (buffer.size < bytes || !buffer.data)
    buffer.grow(bytes + bytes / 4 + 4096); // beyond the end may be prefetched
  return buffer.data;
}

void pack(Strided from, std::size_t rows, std::size_t columns, float *to, std::size_t ld) {
  if (from.type == TypeId::Float)
    packFloat(from, rows, columns, to, ld);
  else
    packHalf(from, rows, columns, to, ld);
}

void unpack(const float *from, std::size_t ld, std::size_t rows, std::size_t columns, Strided to,
            float alpha, float beta) {
  if (to.type == TypeId::Float && to.column == 1) {
    for (std::size_t i = 0; i < rows; ++i)
      blend(from + i * ld, static_cast<float *>(to.at(i, 0).data), columns, alpha, beta);
  } else if (to.type == TypeId::Float && to.row == 1 && alpha == 1 && beta == 0) {
    transpose(from, ld, rows, columns, static_cast<float *>(to.data), to.column);
  } else {
    for (std::size_t i = 0; i < rows; ++i)
      unpackRow(from + i * ld, columns, to.at(i, 0), alpha, beta);
  }
}

} // namespace poplin
