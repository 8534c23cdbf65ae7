// SPDX-License-Identifier: MIT
// Ranges of a strided operand's elements, in row-major order, to and from small contiguous arrays
// of floats.
#pragma once
#include "base/Half.hpp"
#include "openipu/Kernel.hpp"
#include <algorithm>
#include <cstring>

namespace poprand {

using openipu::KernelOperand;
using openipu::TypeId;

// run(offset, stride, count) for each stretch of the last dimension within elements [first,
// first + n).
template <class Run>
void forEachRun(const KernelOperand &t, std::size_t first, std::size_t n, const Run &run) {
  if (t.contiguous || t.shape.empty())
    return run(std::int64_t(first), std::int64_t(1), n);
  const std::size_t rank = t.shape.size(), row = t.shape[rank - 1];
  while (n) {
    const std::size_t column = first % row, count = std::min(n, row - column);
    std::int64_t offset = std::int64_t(column) * t.strides[rank - 1];
    std::size_t rest = first / row;
    for (std::size_t d = rank - 1; d-- > 0; rest /= t.shape[d])
      offset += std::int64_t(rest % t.shape[d]) * t.strides[d];
    run(offset, t.strides[rank - 1], count);
    first += count;
    n -= count;
  }
}

template <class T>
void scatter(const KernelOperand &t, std::size_t first, std::size_t n, const T *values) {
  forEachRun(t, first, n, [&](std::int64_t offset, std::int64_t stride, std::size_t count) {
    T *to = t.as<T>() + offset;
    if (stride == 1)
      std::memcpy(to, values, count * sizeof(T));
    else
      for (std::size_t i = 0; i < count; ++i)
        to[std::int64_t(i) * stride] = values[i];
    values += count;
  });
}
template <class T>
void gather(const KernelOperand &t, std::size_t first, std::size_t n, T *values) {
  forEachRun(t, first, n, [&](std::int64_t offset, std::int64_t stride, std::size_t count) {
    const T *from = t.as<const T>() + offset;
    if (stride == 1)
      std::memcpy(values, from, count * sizeof(T));
    for (std::size_t i = 0; stride != 1 && i < count; ++i)
      values[i] = from[std::int64_t(i) * stride];
    values += count;
  });
}

constexpr std::size_t chunk = 1024; // elements that stay in the first cache

// At most one chunk; halves are rounded.
inline void storeFloats(const KernelOperand &t, std::size_t first, std::size_t n,
                        const float *values) {
  if (t.type == TypeId::Float)
    return scatter(t, first, n, values);
  std::uint16_t halves[chunk];
  base::floatToHalf(values, halves, n);
  scatter(t, first, n, halves);
}
inline void loadFloats(const KernelOperand &t, std::size_t first, std::size_t n, float *values) {
  if (t.type == TypeId::Float)
    return gather(t, first, n, values);
  std::uint16_t halves[chunk];
  gather(t, first, n, halves);
  base::halfToFloat(halves, values, n);
}

// At most a chunk of elements, `stride` apart: where they lie if they are floats side by side, else
// copied to `to`.
inline const float *floatsAt(const KernelOperand &t, std::int64_t offset, std::int64_t stride,
                             std::size_t n, float *to) {
  if (t.type == TypeId::Float) {
    const float *from = t.as<const float>() + offset;
    for (std::size_t i = 0; stride != 1 && i < n; ++i)
      to[i] = from[std::int64_t(i) * stride];
    return stride == 1 ? from : to;
  }
  std::uint16_t halves[chunk];
  const std::uint16_t *from = t.as<const std::uint16_t>() + offset;
  for (std::size_t i = 0; stride != 1 && i < n; ++i)
    halves[i] = from[std::int64_t(i) * stride];
  base::halfToFloat(stride == 1 ? from : halves, to, n);
  return to;
}
inline void storeAt(const KernelOperand &t, std::int64_t offset, std::int64_t stride, std::size_t n,
                    const float *values) {
  if (t.type == TypeId::Float) {
    for (std::size_t i = 0; i < n; ++i)
      t.as<float>()[offset + std::int64_t(i) * stride] = values[i];
    return;
  }
  std::uint16_t halves[chunk];
  base::floatToHalf(values, halves, n);
  for (std::size_t i = 0; i < n; ++i)
    t.as<std::uint16_t>()[offset + std::int64_t(i) * stride] = halves[i];
}

} // namespace poprand
