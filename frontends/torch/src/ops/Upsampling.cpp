// SPDX-License-Identifier: MIT
// Pictures at another resolution: nearest, linear and cubic.
#include "core/Call.hpp"
#include "frontend/Resampling.hpp"

namespace poptorch {

namespace {

using frontend::Neighbours;

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

// `exact`: the nearest of the middles of pixels, not of their beginnings.
Values upsample(Call &c, std::size_t dims, Neighbours neighbours, bool exact = false) {
  Value x = c.in(c.has("input") ? "input" : "self");
  const Shape from = c.shapeOf(x), to = c.shape();
  const auto scales = scalesOf(c, dims);
  const bool corners = c.flag("align_corners"), selects = neighbours == Neighbours::Nearest;
  if (!selects && !c.isFloating(x))
    c.fail("only floating point can be interpolated; cast its input to float first.");
  for (std::size_t d = 0; d < dims; ++d) {
    const auto in = from[d + 2], out = to[d + 2];
    if (in == out && (corners || scales[d] <= 0 || scales[d] == 1))
      continue; // every element is its own only neighbour
    frontend::Line line{in, out, frontend::scaleOf(in, out, corners, scales[d])};
    if (exact || (!selects && !corners))
      line.shift = 0.5f;
    if (!selects && !corners)
      line.start = -0.5f;
    x = frontend::resampled(c, x, std::int64_t(d) + 2, neighbours, line);
  }
  return {x};
}

Values refused(Call &c) {
  c.fail("antialias=True is not supported; interpolate without it, or pool before.");
}

} // namespace

void addUpsampling(Registry &r) {
  const auto add = [&r](const std::string &name, std::size_t dims, Neighbours n,
                        bool exact = false) {
    r.add(name, [=](Call &c) { return upsample(c, dims, n, exact); });
  };
  for (std::size_t dims = 1; dims <= 3; ++dims) {
    const std::string d = std::to_string(dims) + "d";
    add("upsample_nearest" + d, dims, Neighbours::Nearest);
    add("_upsample_nearest_exact" + d, dims, Neighbours::Nearest, true);
  }
  add("upsample_linear1d", 1, Neighbours::Linear);
  add("upsample_bilinear2d", 2, Neighbours::Linear);
  add("upsample_trilinear3d", 3, Neighbours::Linear);
  add("upsample_bicubic2d", 2, Neighbours::Cubic);
  r.add("_upsample_bilinear2d_aa", refused);
  r.add("_upsample_bicubic2d_aa", refused);
}

} // namespace poptorch
