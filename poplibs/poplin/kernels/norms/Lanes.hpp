// SPDX-License-Identifier: MIT
// What the loops of norms do with vectors of 16 floats.
#pragma once
#include "base/Lanes.hpp"

namespace poplin::norms {

using base::lanes;
using base::Lanes;
using base::lanesAt;
using base::quickTotal;

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

} // namespace poplin::norms
