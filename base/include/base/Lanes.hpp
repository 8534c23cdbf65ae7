// SPDX-License-Identifier: MIT
// Vectors of 16 floats for loops that the compiler would not vectorise by itself. The order of
// additions is the same on every machine.
#pragma once
#include "base/Simd.hpp"
#include <cstddef>

namespace base {

constexpr std::size_t lanes = 16;
typedef float Lanes __attribute__((vector_size(4 * lanes), aligned(4), may_alias));

OPENIPU_INLINE const Lanes &lanesAt(const float *at) {
  return *reinterpret_cast<const Lanes *>(at);
}
OPENIPU_INLINE Lanes &lanesAt(float *at) { return *reinterpret_cast<Lanes *>(at); }

// The lanes added up in float, in halves: for sums of a few thousand elements.
OPENIPU_INLINE float quickTotal(const Lanes &v) {
  typedef float Eight __attribute__((vector_size(32)));
  typedef float Four __attribute__((vector_size(16)));
  const Eight eight = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                      __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  const Four four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
                    __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// Sixteen rows of sixteen become columns, whatever the elements: four times, the upper and the
// lower half of the rows are interleaved.
template <class Row> OPENIPU_INLINE void turn(Row (&m)[lanes]) {
  for (unsigned step = 0; step < 4; ++step) {
    Row next[lanes];
    for (unsigned i = 0; i < lanes / 2; ++i) {
      const Row a = m[i], b = m[i + lanes / 2];
      next[2 * i] =
          __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                                14, 30, 15, 31);
    }
    for (unsigned i = 0; i < lanes; ++i)
      m[i] = next[i];
  }
}

} // namespace base
