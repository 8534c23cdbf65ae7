// SPDX-License-Identifier: MIT
// Pictures sampled at coordinates between -1 and 1, and the coordinates of an affine map.
#include "core/Call.hpp"

namespace poptorch {

namespace {

// input [n, c, h, w], grid [n, rows, columns, (x, y)] -> [n, c, rows, columns]
Values gridSampler(Call &c) {
  const Value x = c.in("input"), grid = c.in("grid");
  if (c.rank(x) != 4)
    c.fail("grids are supported for pictures [batch, channels, height, width] only.");
  static const char *const modes[] = {"bilinear", "nearest", "bicubic"}, *const paddings[] = {
                                                                             "zeros", "border",
                                                                             "reflection"};
  const auto mode = c.integer("interpolation_mode"), padding = c.integer("padding_mode");
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2)
    c.fail("interpolation mode ", mode, " and padding mode ", padding, " must be 0, 1 or 2.");
  return {c.m.op("GridSample", {x, grid},
                 {{"mode", std::string(modes[mode])},
                  {"padding_mode", std::string(paddings[padding])},
                  {"align_corners", std::int64_t(c.flag("align_corners"))}})};
}

// Coordinate i of n: from -1 to 1, at the centres of the outermost elements or at their edges.
double coordinate(std::int64_t i, std::int64_t n, bool corners) {
  if (n <= 1)
    return 0;
  const double at = -1 + 2 * double(i) / double(n - 1);
  return corners ? at : at * double(n - 1) / double(n);
}

// [(x, y, 1) of every place] * theta [n, 2, 3] transposed; with a z for three dimensions.
Values affineGrid(Call &c) {
  const Value theta = c.in("theta");
  const Integers size = c.integers("size");
  if (size.size() != 4 && size.size() != 5)
    c.fail("its size must be [n, c, h, w] or [n, c, d, h, w].");
  const Shape field(size.begin() + 2, size.end());
  const auto dims = std::int64_t(field.size());
  std::int64_t places = 1;
  for (auto n : field)
    places *= n;
  std::vector<double> base;
  for (std::int64_t p = 0; p < places; ++p) {
    std::int64_t rest = p;
    for (std::size_t d = field.size(); d-- > 0; rest /= field[d])
      base.push_back(coordinate(rest % field[d], field[d], c.flag("align_corners")));
    base.push_back(1);
  }
  const TensorInfo info(c.m.type(theta), {places, dims + 1});
  const Value all = c.m.constant(HostTensor::fromDoubles(info, base));
  return {c.m.reshape(c.m.matmul(all, c.m.transpose(theta, {0, 2, 1})), c.shape())};
}

} // namespace

void addGrids(Registry &r) {
  r.add("grid_sampler", gridSampler);
  r.add("grid_sampler_2d", gridSampler);
  r.add("grid_sampler_3d", gridSampler);
  r.add("affine_grid_generator", affineGrid);
}

} // namespace poptorch
