// SPDX-License-Identifier: MIT
// Vectors of 16 floats for the loops of norms: the order of additions is the same on every machine.
#pragma once
#include "base/Simd.hpp"
#include <cstddef>

namespace poplin::norms {

constexpr std::size_t lanes = 16;
typedef float Lanes __attribute__((vector_size(4 * lanes), aligned(4), may_alias));

OPENIPU_INLINE const Lanes &lanesAt(const float *at) {
  return *reinterpret_cast<const Lanes *>(at);
}
OPENIPU_INLINE Lanes &lanesAt(float *at) { return *reinterpret_cast<Lanes *>(at); }

// Keeps the last `count` lanes of v; the others become zero.
OPENIPU_INLINE void keepLast(Lanes &v, std::size_t count) {
  typedef int Mask __attribute__((vector_size(4 * lanes), aligned(4), may_alias));
  static constexpr int edge[2 * lanes] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                          0,  0,  0,  0,  0,  -1, -1, -1, -1, -1, -1,
                                          -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const Mask keep = *reinterpret_cast<const Mask *>(edge + count);
  reinterpret_cast<Mask &>(v) &= keep;
}

OPENIPU_INLINE double total(const Lanes &v) {
  double sum[lanes];
  for (std::size_t i = 0; i < lanes; ++i)
    sum[i] = double(v[i]);
  for (std::size_t width = lanes / 2; width > 0; width /= 2)
    for (std::size_t i = 0; i < width; ++i)
      sum[i] += sum[i + width];
  return sum[0];
}

// The lanes added up in float: for sums of a few thousand elements.
OPENIPU_INLINE float quickTotal(const Lanes &v) {
  typedef float Eight __attribute__((vector_size(32)));
  typedef float Four __attribute__((vector_size(16)));
  const Eight eight = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                      __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  const Four four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
                    __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

} // namespace poplin::norms
