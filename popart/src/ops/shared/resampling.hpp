// SPDX-License-Identifier: MIT
// The coordinates and weights of Resize along one axis.
#pragma once
#include "opdef/opview.hpp"
#include "openipu/Taps.hpp"

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

// popart::error through op for names that are no modes.
Taps taps(const OpView &op, const Resampling &how, const AxisScale &axis);

} // namespace popart::ops
