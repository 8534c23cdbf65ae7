// SPDX-License-Identifier: MIT
#include "model.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

constexpr std::int64_t height = 6, width = 7, channels = 2;

// First and past-the-end pixel of a bin.
std::pair<std::int64_t, std::int64_t> bin(double first, double last, double scale, std::int64_t i,
                                          std::int64_t bins, std::int64_t size) {
  const double begin = std::round(first * scale), end = std::round(last * scale);
  const double each = std::max(end - begin + 1, 1.0) / double(bins);
  const auto inside = [&](double v) {
    return std::min(std::max(std::int64_t(v + begin), std::int64_t(0)), size);
  };
  return {inside(std::floor(double(i) * each)), inside(std::ceil(double(i + 1) * each))};
}

Doubles wanted(const Doubles &x, const Doubles &rois, double scale, std::int64_t rows,
               std::int64_t columns) {
  Doubles out;
  for (std::size_t r = 0; r < rois.size() / 5; ++r)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
          const double *roi = rois.data() + r * 5;
          const auto [top, bottom] = bin(roi[2], roi[4], scale, i, rows, height);
          const auto [left, right] = bin(roi[1], roi[3], scale, j, columns, width);
          double most = top < bottom && left < right ? -1e9 : 0;
          for (auto h = top; h < bottom; ++h)
            for (auto w = left; w < right; ++w)
              most = std::max(
                  most,
                  x[std::size_t(((std::int64_t(roi[0]) * channels + c) * height + h) * width + w)]);
          out.push_back(most);
        }
  return out;
}

} // namespace

TEST(MaxRoiPoolOp, TakesTheLargestOfEveryBin) {
  for (const double scale : {1.0, 0.5}) {
    Model m;
    const Value x = m.randomInput({2, channels, height, width}, -1, 1);
    const Value rois =
        m.input({4, 5}, {0, 0, 0, 6, 5, 1, 2, 1, 5, 4, 0, 3, 3, 3, 3, 1, 5, 4, 20, 20});
    const Value y = m.b.op("MaxRoiPool", {x, rois},
                           {{"pooled_shape", ir::Integers{3, 2}}, {"spatial_scale", float(scale)}});
    EXPECT_EQ(m.graph[y].info.shape(), (Shape{4, channels, 3, 2}));
    expectNear(m.run(y), wanted(m.fed(x), m.fed(rois), scale, 3, 2));
    m.checkGradients(y, {x}, 5e-3, 1e-3);
  }
}
