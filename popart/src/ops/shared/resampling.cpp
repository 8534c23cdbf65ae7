// SPDX-License-Identifier: MIT
#include "ops/shared/resampling.hpp"

#include <algorithm>
#include <cmath>

namespace popart::ops {

namespace {

double original(const OpView &op, const Resampling &how, const AxisScale &a, double x) {
  const auto &mode = how.coordinates;
  const double last = double(a.in - 1);
  if (mode == "half_pixel")
    return (x + 0.5) / a.scale - 0.5;
  if (mode == "pytorch_half_pixel")
    return a.length > 1 ? (x + 0.5) / a.scale - 0.5 : 0;
  if (mode == "align_corners")
    return a.length == 1 ? 0 : x * last / (a.length - 1);
  if (mode == "asymmetric")
    return x / a.scale;
  if (mode == "tf_half_pixel_for_nn") // version 11 only
    return (x + 0.5) / a.scale;
  if (mode == "tf_crop_and_resize")
    return a.out > 1 ? a.roiBegin * last + x * (a.roiEnd - a.roiBegin) * last / double(a.out - 1)
                     : 0.5 * (a.roiBegin + a.roiEnd) * last;
  op.fail("coordinate_transformation_mode \"", mode,
          "\" is not one of half_pixel, pytorch_half_pixel, align_corners, asymmetric, "
          "tf_half_pixel_for_nn, tf_crop_and_resize.");
}

// The pixel left of x, and how far x lies towards the next: (0, 1], so that a pixel that is hit
// exactly is the right neighbour.
struct Coordinate {
  std::int64_t left;
  double ratio;
  explicit Coordinate(double x) : left(std::int64_t(std::ceil(x)) - 1), ratio(x - double(left)) {}
};

std::int64_t nearestOf(const OpView &op, const std::string &mode, const Coordinate &p) {
  if (p.ratio == 1)
    return p.left + 1;
  if (mode == "round_prefer_floor")
    return p.left + (p.ratio > 0.5);
  if (mode == "round_prefer_ceil")
    return p.left + (p.ratio >= 0.5);
  if (mode == "floor")
    return p.left;
  if (mode == "ceil")
    return p.left + 1;
  op.fail("nearest_mode \"", mode,
          "\" is not one of round_prefer_floor, round_prefer_ceil, floor, ceil, pytorch.");
}
// As torch.nn.functional.interpolate chooses: in FLOAT, whatever the coordinates are.
std::int64_t nearestOfTorch(const AxisScale &a, std::int64_t x) {
  return std::int64_t(std::floor(float(x) * float(1 / a.scale)));
}

std::vector<double> weights(const Resampling &how, const AxisScale &a, const Coordinate &p,
                            std::int64_t first) {
  std::vector<double> out;
  if (how.mode == "linear")
    out = {1 - p.ratio, p.ratio};
  else
    for (int k = -1; k <= 2; ++k)
      out.push_back(keys(p.ratio - k, how.cubic));
  if (!how.excludeOutside)
    return out;
  double sum = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::int64_t at = first + std::int64_t(k);
    out[k] = at < 0 || at >= a.in ? 0 : out[k];
    sum += out[k];
  }
  for (auto &w : out)
    w /= sum;
  return out;
}

} // namespace

Taps taps(const OpView &op, const Resampling &how, const AxisScale &a) {
  if (how.mode != "nearest" && how.mode != "linear" && how.mode != "cubic")
    op.fail("mode \"", how.mode, "\" is not one of nearest, linear, cubic.");
  const std::size_t n = how.mode == "nearest" ? 1 : how.mode == "linear" ? 2 : 4;
  const auto inside = [&](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, a.in - 1); };
  Taps out{std::vector<Integers>(n), std::vector<std::vector<double>>(n), {}};
  std::vector<double> offset(std::size_t(a.out), 0);
  bool anyOutside = false;
  for (std::int64_t i = 0; i < a.out; ++i) {
    const double x = original(op, how, a, double(i));
    const Coordinate p(x);
    const std::int64_t first = n == 2                     ? p.left
                               : n == 4                   ? p.left - 1
                               : how.nearest == "pytorch" ? nearestOfTorch(a, i)
                                                          : nearestOf(op, how.nearest, p);
    const bool lost = how.coordinates == "tf_crop_and_resize" && (x < 0 || x > double(a.in - 1));
    auto w = n == 1 ? std::vector<double>{1} : weights(how, a, p, first);
    for (std::size_t k = 0; k < n; ++k) {
      out.index[k].push_back(inside(first + std::int64_t(k)));
      out.weight[k].push_back(lost ? 0 : w[k]);
    }
    offset[std::size_t(i)] = lost ? how.extrapolation : 0;
    anyOutside |= lost;
  }
  if (anyOutside)
    out.offset = offset;
  if (n == 1 && !anyOutside)
    out.weight.clear();
  return out;
}

} // namespace popart::ops
