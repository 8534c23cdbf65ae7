// SPDX-License-Identifier: MIT
// Pictures at another resolution: nearest, linear and cubic. Padding at the edges.
#include "frontend/Resampling.hpp"
#include "core/Windows.hpp"
#include "frontend/Padding.hpp"

namespace paddleipu {

namespace {

using frontend::Neighbours;

Shape sizesOf(Call &c, std::size_t dims) {
  if (c.has("OutSize"))
    return c.constants("OutSize");
  Shape out;
  for (const char *name : {"out_d", "out_h", "out_w"})
    out.push_back(c.integer(name, -1));
  return {out.end() - std::ptrdiff_t(dims), out.end()};
}

void interpolate(Call &c, std::size_t dims, Neighbours neighbours) {
  const bool last = channelsLast(c, "data_layout"), corners = c.flag("align_corners", true);
  Value x = toChannelsFirst(c, c.in("X"), last);
  if (c.rank(x) != dims + 2)
    c.fail("X of shape ", popart::ir::text(c.shapeOf(x)), " needs ", dims,
           " dimensions behind batch and channels.");
  auto scales = c.reals("scale");
  if (scales.size() == 1)
    scales.resize(dims, scales[0]);
  const Shape sizes = sizesOf(c, dims);
  const bool selects = neighbours == Neighbours::Nearest;
  const bool centred =
      !corners && (c.integer("align_mode", 1) == 0 || neighbours == Neighbours::Cubic);
  for (std::size_t d = 0; d < dims; ++d) {
    const auto in = c.shapeOf(x)[d + 2];
    const double scale = scales.empty() ? 0 : scales[d];
    const auto out = scale > 0 ? std::int64_t(double(in) * scale) : sizes[d];
    if (out < 1)
      c.fail("the size of dimension ", d + 2, " is not given: out_d, out_h, out_w or scale.");
    frontend::Line line{in, out, frontend::scaleOf(in, out, corners, scale)};
    if (selects)
      line.start = corners ? 0.5f : 0;
    else if (centred) {
      line.shift = 0.5f;
      line.start = -0.5f;
    }
    if (in != out)
      x = frontend::resampled(c, x, std::int64_t(d) + 2, neighbours, line);
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
  c.out("Out",
        frontend::padded(c, x, begins, ends, c.text("mode", "constant"), c.real("value", 0)));
}

} // namespace

void addResampling(Registry &r) {
  r.add("nearest_interp_v2",
        [](Call &c) { interpolate(c, c.rank(c.in("X")) - 2, Neighbours::Nearest); });
  r.add("linear_interp_v2", [](Call &c) { interpolate(c, 1, Neighbours::Linear); });
  r.add("bilinear_interp_v2", [](Call &c) { interpolate(c, 2, Neighbours::Linear); });
  r.add("trilinear_interp_v2", [](Call &c) { interpolate(c, 3, Neighbours::Linear); });
  r.add("bicubic_interp_v2", [](Call &c) { interpolate(c, 2, Neighbours::Cubic); });
  r.add("pad3d", pad3d);
}

} // namespace paddleipu
