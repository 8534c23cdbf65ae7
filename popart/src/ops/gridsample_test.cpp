// SPDX-License-Identifier: MIT
// GridSample against a plain loop.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

constexpr std::int64_t height = 4, width = 5;

struct Case {
  std::string mode, padding;
  bool corners;
};

double cubic(double t) {
  t = std::abs(t);
  const double a = -0.75;
  return t <= 1  ? ((a + 2) * t - (a + 3)) * t * t + 1
         : t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
                 : 0;
}
double weight(const std::string &mode, double distance) {
  return mode == "bicubic" ? cubic(distance) : std::max(0.0, 1 - std::abs(distance));
}
// The pixel that stands for one outside; -1: zero.
std::int64_t placed(const Case &c, std::int64_t i, std::int64_t size) {
  if (i >= 0 && i < size)
    return i;
  if (c.padding == "zeros")
    return -1;
  if (c.padding == "border")
    return i < 0 ? 0 : size - 1;
  while (i < 0 || i >= size)
    i = i < 0 ? (c.corners ? -i : -1 - i) : (c.corners ? 2 * (size - 1) - i : 2 * size - 1 - i);
  return i;
}
double sampled(const Case &c, const double *plane, double gx, double gy) {
  const auto pixel = [&](double g, std::int64_t size) {
    return c.corners ? (g + 1) / 2 * double(size - 1) : ((g + 1) * double(size) - 1) / 2;
  };
  const double x = pixel(gx, width), y = pixel(gy, height);
  double sum = 0;
  const auto add = [&](std::int64_t i, std::int64_t j, double w) {
    const auto r = placed(c, i, height), s = placed(c, j, width);
    if (r >= 0 && s >= 0)
      sum += w * plane[r * width + s];
  };
  if (c.mode == "nearest") {
    add(std::int64_t(std::nearbyint(y)), std::int64_t(std::nearbyint(x)), 1);
    return sum;
  }
  const auto y0 = std::int64_t(std::floor(y)), x0 = std::int64_t(std::floor(x));
  for (std::int64_t i = y0 - 1; i <= y0 + 2; ++i)
    for (std::int64_t j = x0 - 1; j <= x0 + 2; ++j)
      add(i, j, weight(c.mode, y - double(i)) * weight(c.mode, x - double(j)));
  return sum;
}

} // namespace

TEST(GridSampleOp, InterpolatesAndDifferentiates) {
  for (const std::string mode : {"bilinear", "nearest", "bicubic"})
    for (const std::string padding : {"zeros", "border", "reflection"})
      for (bool corners : {false, true}) {
        const Case c{mode, padding, corners};
        Model m;
        const auto x = m.randomInput({2, 2, height, width}),
                   grid = m.randomInput({2, 2, 3, 2}, -1.4, 1.4);
        const auto y = m.b.op(
            "GridSample", {x, grid},
            {{"mode", mode}, {"padding_mode", padding}, {"align_corners", std::int64_t(corners)}});
        const auto xs = m.fed(x), at = m.fed(grid);
        Doubles want;
        for (std::size_t n = 0; n < 2; ++n)
          for (std::size_t channel = 0; channel < 2; ++channel)
            for (std::size_t p = 0; p < 6; ++p)
              want.push_back(sampled(c, xs.data() + (n * 2 + channel) * height * width,
                                     at[(n * 6 + p) * 2], at[(n * 6 + p) * 2 + 1]));
        SCOPED_TRACE(mode + " " + padding + (corners ? " corners" : ""));
        ASSERT_EQ(m.graph[y].info.shape(), (Shape{2, 2, 2, 3}));
        expectNear(m.run(y), want, 1e-4, 1e-5);
        m.checkGradients(y, {x});
      }
}

// Between pixels the interpolation is smooth in the coordinates too.
TEST(GridSampleOp, DifferentiatesByCoordinates) {
  Model m;
  const auto x = m.randomInput({1, 2, height, width}),
             grid = m.input({1, 1, 2, 2}, {0.13, -0.21, -0.37, 0.42});
  m.checkGradients(m.b.op("GridSample", {x, grid}, {{"mode", std::string("bicubic")}}), {grid},
                   2e-2);
}

TEST(GridSampleOp, RefusesModesThereAreNot) {
  Model m;
  const auto x = m.randomInput({1, 2, height, width}), grid = m.randomInput({1, 1, 2, 2});
  try {
    m.b.op("GridSample", {x, grid}, {{"mode", std::string("linear")}});
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "GridSample: mode \"linear\" must be bilinear, nearest or bicubic.");
  }
}
