// SPDX-License-Identifier: MIT
// How an axis is resampled: output i is the sum over k of weight[k][i] times input index[k][i],
// plus offset[i].
#pragma once
#include "openipu/Writer.hpp"
#include <cmath>

namespace popart::ops {

struct Taps {
  std::vector<Integers> index;                        // [taps][out]
  std::vector<std::vector<double>> weight;            // likewise
  std::vector<double> offset;                         // empty: zero everywhere
  bool isSelection() const { return weight.empty(); } // one index, weight 1
};

// Keys' cubic convolution for distance d.
inline double keys(double d, double a = -0.75) {
  d = std::abs(d);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

} // namespace popart::ops
