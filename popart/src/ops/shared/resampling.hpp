// SPDX-License-Identifier: MIT
// The coordinates and weights of Resize along one axis: output i is the sum over k of weight[k][i]
// times input index[k][i], plus offset[i].
#pragma once
#include "op/opview.hpp"

namespace popart::ops {

struct Resampling {
  std::string mode;            // nearest, linear, cubic
  std::string coordinates;     // coordinate_transformation_mode
  std::string nearest;         // nearest_mode
  double cubic = -0.75;        // cubic_coeff_a
  bool excludeOutside = false; // weights of places outside become 0, the others make up for them
  double extrapolation = 0;    // tf_crop_and_resize: the value of what lies outside
};

struct AxisScale {
  std::int64_t in, out;
  double scale;  // as given, or out / in
  double length; // in * scale, which `out` is rounded down from
  double roiBegin = 0, roiEnd = 1;
};

struct Taps {
  std::vector<Integers> index;                        // [taps][out]
  std::vector<std::vector<double>> weight;            // likewise
  std::vector<double> offset;                         // empty: zero everywhere
  bool isSelection() const { return weight.empty(); } // one index, weight 1
};

// popart::error through op for names that are no modes.
Taps taps(const OpView &op, const Resampling &how, const AxisScale &axis);

} // namespace popart::ops
