// SPDX-License-Identifier: MIT
// Pictures at another resolution, one axis after the other: every output is the weighted sum of its
// neighbours (one: nearest, two: linear, four: cubic). Places are computed in FLOAT, as torch does,
// so that both choose the same neighbours.
#include "core/Call.hpp"
#include <algorithm>
#include <cmath>

namespace poptorch {

namespace {

enum class Mode { Nearest, NearestExact, Linear, Cubic };

struct Taps {
  std::vector<Integers> index;             // [taps][out]
  std::vector<std::vector<double>> weight; // likewise; empty: one tap of weight 1
};

// Keys' cubic convolution with a = -0.75, at distance d.
double keys(double d) {
  constexpr double a = -0.75;
  d = std::abs(d);
  return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

// Input elements per output element. A scale that was given counts more than the sizes.
float scaleOf(std::int64_t in, std::int64_t out, bool corners, double given) {
  if (corners)
    return out > 1 ? float(in - 1) / float(out - 1) : 0.0f;
  return given > 0 ? float(1.0 / given) : float(in) / float(out);
}

Taps nearest(std::int64_t in, std::int64_t out, float scale, bool exact) {
  Taps t{{Integers()}, {}};
  for (std::int64_t i = 0; i < out; ++i) {
    const float at = exact ? (float(i) + 0.5f) * scale : float(i) * scale;
    t.index[0].push_back(std::min(std::int64_t(std::floor(at)), in - 1));
  }
  return t;
}

Taps interpolated(std::int64_t in, std::int64_t out, float scale, bool corners, bool cubic) {
  const std::size_t n = cubic ? 4 : 2;
  Taps t{std::vector<Integers>(n), std::vector<std::vector<double>>(n)};
  for (std::int64_t i = 0; i < out; ++i) {
    float at = corners ? scale * float(i) : scale * (float(i) + 0.5f) - 0.5f;
    if (!cubic)
      at = std::max(at, 0.0f);
    const float first = std::floor(at);
    const double rest = double(at - first);
    for (std::size_t k = 0; k < n; ++k) {
      const auto place = std::int64_t(first) + std::int64_t(k) - (cubic ? 1 : 0);
      t.index[k].push_back(std::clamp<std::int64_t>(place, 0, in - 1));
      t.weight[k].push_back(cubic ? keys(rest - double(k) + 1) : k == 0 ? 1 - rest : rest);
    }
  }
  return t;
}

// The sum over taps of x[index] * weight along an axis.
Value resampled(const Call &c, Value x, const Taps &t, std::int64_t axis) {
  Value sum = none;
  for (std::size_t k = 0; k < t.index.size(); ++k) {
    Value term = c.m.op("Gather", {x, c.m.integers(t.index[k])}, {{"axis", axis}});
    if (t.weight.empty())
      return term;
    Shape shape(c.rank(x) - std::size_t(axis), 1);
    shape[0] = std::int64_t(t.weight[k].size());
    const TensorInfo info(c.m.type(x), shape);
    term = c.m.mul(term, c.m.constant(HostTensor::fromDoubles(info, t.weight[k])));
    sum = sum == none ? term : c.m.add(sum, term);
  }
  return sum;
}

// The scales given, one for every spatial dimension; 0 where there is none.
std::vector<double> scalesOf(const Call &c, std::size_t dims) {
  std::vector<double> out = c.reals("scale_factors");
  if (!out.empty())
    return out;
  if (c.has("scales") && dims == 1)
    return {c.real("scales")};
  for (const char *name : {"scales_d", "scales_h", "scales_w"})
    out.push_back(c.real(name, 0));
  return {out.end() - std::ptrdiff_t(dims), out.end()};
}

Values upsample(Call &c, std::size_t dims, Mode mode) {
  Value x = c.in(c.has("input") ? "input" : "self");
  const Shape from = c.shapeOf(x), to = c.shape();
  const auto scales = scalesOf(c, dims);
  const bool corners = c.flag("align_corners"),
             select = mode == Mode::Nearest || mode == Mode::NearestExact;
  if (!select && !c.isFloating(x))
    c.fail("only floating point can be interpolated; cast its input to float first.");
  for (std::size_t d = 0; d < dims; ++d) {
    const auto in = from[d + 2], out = to[d + 2];
    if (in == out && (corners || scales[d] <= 0 || scales[d] == 1))
      continue; // every element is its own only neighbour
    const float scale = scaleOf(in, out, corners, scales[d]);
    const Taps t = select ? nearest(in, out, scale, mode == Mode::NearestExact)
                          : interpolated(in, out, scale, corners, mode == Mode::Cubic);
    x = resampled(c, x, t, std::int64_t(d) + 2);
  }
  return {x};
}

Values refused(Call &c) {
  c.fail("antialias=True is not supported; interpolate without it, or pool before.");
}

} // namespace

void addUpsampling(Registry &r) {
  const auto add = [&r](const std::string &name, std::size_t dims, Mode mode) {
    r.add(name, [dims, mode](Call &c) { return upsample(c, dims, mode); });
  };
  for (std::size_t dims = 1; dims <= 3; ++dims) {
    const std::string d = std::to_string(dims) + "d";
    add("upsample_nearest" + d, dims, Mode::Nearest);
    add("_upsample_nearest_exact" + d, dims, Mode::NearestExact);
  }
  add("upsample_linear1d", 1, Mode::Linear);
  add("upsample_bilinear2d", 2, Mode::Linear);
  add("upsample_trilinear3d", 3, Mode::Linear);
  add("upsample_bicubic2d", 2, Mode::Cubic);
  r.add("_upsample_bilinear2d_aa", refused);
  r.add("_upsample_bicubic2d_aa", refused);
}

} // namespace poptorch
