// SPDX-License-Identifier: MIT
// Pictures at another resolution, one axis after the other: every result is the weighted sum of its
// neighbours (one: nearest, two: linear, four: cubic). Padding at the edges.
#include "core/Windows.hpp"
#include <algorithm>
#include <cmath>

namespace paddleipu {

namespace {

enum class Mode { Nearest, Linear, Cubic };

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

struct Axis {
  std::int64_t in, out;
  float scale; // input elements per output element
  bool corners, centred;
};

Taps nearest(const Axis &a) {
  Taps t{{Integers()}, {}};
  for (std::int64_t i = 0; i < a.out; ++i) {
    const float at = a.scale * float(i);
    t.index[0].push_back(std::min(std::int64_t(a.corners ? at + 0.5f : at), a.in - 1));
  }
  return t;
}
Taps interpolated(const Axis &a, bool cubic) {
  const std::size_t n = cubic ? 4 : 2;
  Taps t{std::vector<Integers>(n), std::vector<std::vector<double>>(n)};
  for (std::int64_t i = 0; i < a.out; ++i) {
    float at = a.corners || !a.centred ? a.scale * float(i) : a.scale * (float(i) + 0.5f) - 0.5f;
    if (!cubic)
      at = std::max(at, 0.0f);
    const float first = std::floor(at);
    for (std::size_t k = 0; k < n; ++k) {
      const auto place = std::int64_t(first) + std::int64_t(k) - (cubic ? 1 : 0);
      const double rest = double(at - first);
      t.index[k].push_back(std::clamp<std::int64_t>(place, 0, a.in - 1));
      t.weight[k].push_back(cubic ? keys(rest - double(k) + 1) : k == 0 ? 1 - rest : rest);
    }
  }
  return t;
}

Value resampled(const Call &c, Value x, const Taps &t, std::int64_t axis) {
  Value sum = none;
  for (std::size_t k = 0; k < t.index.size(); ++k) {
    Value term = c.m.op("Gather", {x, c.m.integers(t.index[k])}, {{"axis", axis}});
    if (t.weight.empty())
      return term;
    Shape shape(c.rank(x) - std::size_t(axis), 1);
    shape[0] = std::int64_t(t.weight[k].size());
    term = c.m.mul(term, c.m.constant(HostTensor::fromDoubles({c.m.type(x), shape}, t.weight[k])));
    sum = sum == none ? term : c.m.add(sum, term);
  }
  return sum;
}

Shape sizesOf(Call &c, std::size_t dims) {
  if (c.has("OutSize"))
    return c.constants("OutSize");
  Shape out;
  for (const char *name : {"out_d", "out_h", "out_w"})
    out.push_back(c.integer(name, -1));
  return {out.end() - std::ptrdiff_t(dims), out.end()};
}

void interpolate(Call &c, std::size_t dims, Mode mode) {
  const bool last = channelsLast(c, "data_layout"), corners = c.flag("align_corners", true);
  Value x = toChannelsFirst(c, c.in("X"), last);
  if (c.rank(x) != dims + 2)
    c.fail("X of shape ", popart::ir::text(c.shapeOf(x)), " needs ", dims,
           " dimensions behind batch and channels.");
  auto scales = c.reals("scale");
  if (scales.size() == 1)
    scales.resize(dims, scales[0]);
  const Shape sizes = sizesOf(c, dims);
  for (std::size_t d = 0; d < dims; ++d) {
    Axis a{c.shapeOf(x)[d + 2], sizes[d], 0, corners,
           c.integer("align_mode", 1) == 0 || mode == Mode::Cubic};
    const bool scaled = !scales.empty() && scales[d] > 0;
    if (scaled)
      a.out = std::int64_t(double(a.in) * scales[d]);
    if (a.out < 1)
      c.fail("the size of dimension ", d + 2, " is not given: out_d, out_h, out_w or scale.");
    if (corners)
      a.scale = a.out > 1 ? float(a.in - 1) / float(a.out - 1) : 0.0f;
    else
      a.scale = scaled ? float(1 / scales[d]) : float(a.in) / float(a.out);
    if (a.in != a.out)
      x = resampled(c, x, mode == Mode::Nearest ? nearest(a) : interpolated(a, mode == Mode::Cubic),
                    std::int64_t(d) + 2);
  }
  c.out("Out", fromChannelsFirst(c, x, last));
}

// paddings: begin and end of width, height and depth
void pad3d(Call &c) {
  const bool last = c.text("data_format", "NCDHW") == "NDHWC";
  Value x = c.in("X");
  const auto given = c.has("Paddings") ? c.constants("Paddings") : c.integers("paddings");
  if (c.rank(x) != 5 || given.size() != 6)
    c.fail("X of shape ", popart::ir::text(c.shapeOf(x)), " with ", given.size(),
           " paddings: five dimensions and six "
           "numbers are needed.");
  Integers begins(5, 0), ends(5, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t d = (last ? 3 : 4) - i;
    begins[d] = given[2 * i];
    ends[d] = given[2 * i + 1];
  }
  const auto mode = c.text("mode", "constant");
  if (mode == "circular") {
    for (std::size_t d = 1; d < 5; ++d) {
      const auto axis = std::int64_t(d), n = c.shapeOf(x)[d];
      if (begins[d] > n || ends[d] > n)
        c.fail("circular padding of ", std::max(begins[d], ends[d]),
               " elements needs as many in dimension ", d, ".");
      Values parts{x};
      if (begins[d])
        parts.insert(parts.begin(), c.slice(x, axis, n - begins[d], n));
      if (ends[d])
        parts.push_back(c.slice(x, axis, 0, ends[d]));
      x = c.concat(parts, axis);
    }
    return c.out("Out", x);
  }
  if (mode != "constant" && mode != "reflect" && mode != "replicate")
    c.fail("mode \"", mode, "\" is not one of constant, reflect, replicate, circular.");
  begins.insert(begins.end(), ends.begin(), ends.end());
  c.out("Out", c.m.op("Pad", {x},
                      {{"pads", begins},
                       {"mode", mode == "replicate" ? std::string("edge") : mode},
                       {"constant_value", HostTensor::scalar(c.m.type(x), c.real("value", 0))}}));
}

} // namespace

void addResampling(Registry &r) {
  r.add("nearest_interp_v2", [](Call &c) { interpolate(c, c.rank(c.in("X")) - 2, Mode::Nearest); });
  r.add("linear_interp_v2", [](Call &c) { interpolate(c, 1, Mode::Linear); });
  r.add("bilinear_interp_v2", [](Call &c) { interpolate(c, 2, Mode::Linear); });
  r.add("trilinear_interp_v2", [](Call &c) { interpolate(c, 3, Mode::Linear); });
  r.add("bicubic_interp_v2", [](Call &c) { interpolate(c, 2, Mode::Cubic); });
  r.add("pad3d", pad3d);
}

} // namespace paddleipu
