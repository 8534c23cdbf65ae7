// SPDX-License-Identifier: MIT
// Memory that kernels work in, and moves of strided float or half data into and out of it.
#pragma once
#include "openipu/TypeId.hpp"
#include <cstddef>
#include <cstdint>

namespace poplin {

// Floats that are kept: aligned for vectors, on large pages when there are many. Room for a little
// more is there, because what comes next is prefetched.
class KeptFloats {
public:
  KeptFloats() = default;
  KeptFloats(const KeptFloats &) = delete;
  ~KeptFloats() { release(); }
  float *grow(std::size_t floats); // contents are lost when it must move
  float *data() const { return data_; }

private:
  void release();
  float *data_ = nullptr;
  std::size_t size_ = 0, bytes_ = 0;
};

// Per thread, 64-byte aligned, grown when needed and never shrunk, so only first runs allocate. Two
// uses that live at the same time on one thread need different slots.
enum class Slot {
  Rows,
  Panel,
  Panels,
  Result,
  Pointers,
  Operand,
  Weights,
  Gradient,
  Output,
  Extras,
  Count
};
void *scratchBytes(Slot slot, std::size_t bytes);
inline float *scratch(Slot slot, std::size_t floats) {
  return static_cast<float *>(scratchBytes(slot, floats * sizeof(float)));
}

// Strided data in float or half; element (i, j) at data[i * row + j * column].
struct Strided {
  void *data;
  poplar::TypeId type;
  std::int64_t row, column;
  Strided at(std::int64_t i, std::int64_t j) const {
    auto bytes = (i * row + j * column) * std::int64_t(poplar::sizeOf(type));
    return {static_cast<char *>(data) + bytes, type, row, column};
  }
};

// to[i * ld + j] = from(i, j), as float.
void pack(Strided from, std::size_t rows, std::size_t columns, float *to, std::size_t ld);
// to(i, j) = beta * to(i, j) + alpha * from[i * ld + j]; rounds to half where `to` is half.
void unpack(const float *from, std::size_t ld, std::size_t rows, std::size_t columns, Strided to,
            float alpha = 1, float beta = 0);

} // namespace poplin
