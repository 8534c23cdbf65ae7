// SPDX-License-Identifier: MIT
// Rows of a kernel's operand: the last dimension, wherever its elements lie.
#pragma once
#include "base/Half.hpp"
#include "openipu/Kernel.hpp"
#include <algorithm>
#include <vector>

namespace popops::strided {

using openipu::KernelOperand;
using openipu::TypeId;

inline std::size_t rowLength(const KernelOperand &t) {
  return t.shape.empty() ? 1 : t.shape.back();
}
inline std::size_t rowCount(const KernelOperand &t) {
  std::size_t count = 1;
  for (std::size_t d = 0; d + 1 < t.shape.size(); ++d)
    count *= t.shape[d];
  return count;
}
inline std::int64_t rowStride(const KernelOperand &t) {
  return t.strides.empty() || t.shape.back() == 1 ? 1 : t.strides.back();
}
// In elements.
inline std::int64_t rowOffset(const KernelOperand &t, std::size_t row) {
  std::int64_t offset = 0;
  for (std::size_t d = t.shape.size() > 1 ? t.shape.size() - 1 : 0; d-- > 0;) {
    offset += std::int64_t(row % t.shape[d]) * t.strides[d];
    row /= t.shape[d];
  }
  return offset;
}

template <class T> void gather(const T *from, std::int64_t stride, T *to, std::size_t n) {
  if (stride == 1)
    std::copy_n(from, n, to);
  else
    for (std::size_t i = 0; i < n; ++i)
      to[i] = from[std::int64_t(i) * stride];
}
template <class T> void scatter(const T *from, T *to, std::int64_t stride, std::size_t n) {
  if (stride == 1)
    std::copy_n(from, n, to);
  else
    for (std::size_t i = 0; i < n; ++i)
      to[std::int64_t(i) * stride] = from[i];
}

template <class T> void readRow(const KernelOperand &t, std::size_t row, T *to) {
  gather(t.as<const T>() + rowOffset(t, row), rowStride(t), to, rowLength(t));
}
template <class T> void writeRow(const KernelOperand &t, std::size_t row, const T *from) {
  scatter(from, t.as<T>() + rowOffset(t, row), rowStride(t), rowLength(t));
}

// Rows of FLOAT or HALF as floats.
inline void readFloats(const KernelOperand &t, std::size_t row, float *to) {
  if (t.type != TypeId::Half)
    return readRow(t, row, to);
  std::vector<std::uint16_t> halves(rowLength(t));
  readRow(t, row, halves.data());
  base::halfToFloat(halves.data(), to, halves.size());
}
inline void writeFloats(const KernelOperand &t, std::size_t row, const float *from) {
  if (t.type != TypeId::Half)
    return writeRow(t, row, from);
  std::vector<std::uint16_t> halves(rowLength(t));
  base::floatToHalf(from, halves.data(), halves.size());
  writeRow(t, row, halves.data());
}

} // namespace popops::strided
