// SPDX-License-Identifier: MIT
// The largest of sixteen floats.
#pragma once
#include "base/Lanes.hpp"

namespace popnn {

using base::lanes;
using base::Lanes;
using base::lanesAt;

OPENIPU_INLINE float largest(const Lanes &v) {
  typedef float Eight __attribute__((vector_size(32)));
  typedef float Four __attribute__((vector_size(16)));
  const Eight a = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7),
              b = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  const Eight eight = a > b ? a : b;
  const Four c = __builtin_shufflevector(eight, eight, 0, 1, 2, 3),
             d = __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  const Four four = c > d ? c : d;
  const float e = four[0] > four[2] ? four[0] : four[2], f = four[1] > four[3] ? four[1] : four[3];
  return e > f ? e : f;
}

} // namespace popnn
