// SPDX-License-Identifier: MIT
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

struct Case {
  bool halfPixel;
  std::int64_t samples; // per side of a bin; 0: as many as the bin has elements, rounded up
  double scale;
};

double sampled(const double *plane, std::int64_t size, double y, double x) {
  if (y < -1 || y > double(size) || x < -1 || x > double(size))
    return 0;
  y = std::min(std::max(y, 0.0), double(size - 1));
  x = std::min(std::max(x, 0.0), double(size - 1));
  const auto y0 = std::int64_t(y), x0 = std::int64_t(x), y1 = std::min(y0 + 1, size - 1),
             x1 = std::min(x0 + 1, size - 1);
  const double fy = y - double(y0), fx = x - double(x0);
  return (1 - fy) * ((1 - fx) * plane[y0 * size + x0] + fx * plane[y0 * size + x1]) +
         fy * ((1 - fx) * plane[y1 * size + x0] + fx * plane[y1 * size + x1]);
}

constexpr std::int64_t size = 6, bins = 2;

Doubles wanted(const Case &c, const Doubles &x, const Doubles &rois, const Doubles &batch) {
  Doubles out;
  for (std::size_t r = 0; r < batch.size(); ++r)
    for (std::size_t channel = 0; channel < 2; ++channel) {
      const double *plane = x.data() + (std::size_t(batch[r]) * 2 + channel) * size * size;
      const double move = c.halfPixel ? 0.5 : 0;
      const double x1 = rois[r * 4] * c.scale - move, y1 = rois[r * 4 + 1] * c.scale - move;
      double w = rois[r * 4 + 2] * c.scale - move - x1, h = rois[r * 4 + 3] * c.scale - move - y1;
      if (!c.halfPixel) {
        w = std::max(w, 1.0);
        h = std::max(h, 1.0);
      }
      const double bw = w / bins, bh = h / bins;
      const auto ny = c.samples ? c.samples : std::int64_t(std::ceil(bh)),
                 nx = c.samples ? c.samples : std::int64_t(std::ceil(bw));
      for (std::int64_t i = 0; i < bins * bins; ++i) {
        double sum = 0;
        for (std::int64_t a = 0; a < ny; ++a)
          for (std::int64_t b = 0; b < nx; ++b)
            sum += sampled(plane, size,
                           y1 + bh * double(i / bins) + (double(a) + 0.5) * bh / double(ny),
                           x1 + bw * double(i % bins) + (double(b) + 0.5) * bw / double(nx));
        out.push_back(sum / double(nx * ny));
      }
    }
  return out;
}

} // namespace

TEST(RoiAlignOp, AveragesBilinearSamplesAndDifferentiates) {
  for (const auto &c : {Case{false, 2, 1}, Case{true, 2, 0.5}, Case{true, 0, 1}}) {
    Model m;
    const auto x = m.randomInput({2, 2, size, size}),
               rois = m.input({3, 4}, {0, 0, 4, 4, 1.5, 2, 5, 3.5, 2, 1, 5.5, 5}),
               batch = m.input({3}, {1, 0, 1}, DataType::INT64);
    ir::Attributes attributes{{"output_height", bins},
                              {"output_width", bins},
                              {"sampling_ratio", c.samples},
                              {"spatial_scale", float(c.scale)}};
    const auto y = m.imported("RoiAlign", {x, rois, batch}, attributes, c.halfPixel ? 16 : 10)[0];
    EXPECT_EQ(m.graph[y].info.shape(), (Shape{3, 2, bins, bins}));
    expectNear(m.run(y), wanted(c, m.fed(x), m.fed(rois), m.fed(batch)), 1e-5, 1e-5);
    m.checkGradients(y, {x});
  }
}

// Every sample has four neighbours, each with its weight.
TEST(RoiAlignOp, TakesTheLargestWeightedNeighbour) {
  Model m;
  const auto x = m.randomInput({2, 1, size, size}),
             rois = m.input({2, 4}, {0, 0, 4, 5, 1, 2, 5, 4}),
             batch = m.input({2}, {1, 0}, DataType::INT64);
  const auto y = m.imported("RoiAlign", {x, rois, batch},
                            {{"output_height", bins},
                             {"output_width", bins},
                             {"sampling_ratio", std::int64_t(2)},
                             {"mode", std::string("max")}},
                            10)[0];
  const auto xs = m.fed(x), regions = m.fed(rois);
  Doubles want;
  for (std::size_t r = 0; r < 2; ++r)
    for (std::int64_t bin = 0; bin < bins * bins; ++bin) {
      double largest = -10;
      for (std::int64_t s = 0; s < 4; ++s) {
        const double *roi = regions.data() + 4 * r, *plane = xs.data() + (1 - r) * size * size;
        const double h = (roi[3] - roi[1]) / bins, w = (roi[2] - roi[0]) / bins;
        const double py = roi[1] + h * (double(bin / bins) + (double(s / 2) + 0.5) / 2),
                     px = roi[0] + w * (double(bin % bins) + (double(s % 2) + 0.5) / 2);
        const auto i = std::int64_t(py), j = std::int64_t(px);
        for (std::int64_t k = 0; k < 4; ++k) {
          const double fy = py - double(i), fx = px - double(j);
          largest = std::max(largest, (k / 2 ? fy : 1 - fy) * (k % 2 ? fx : 1 - fx) *
                                          plane[(i + k / 2) * size + j + k % 2]);
        }
      }
      want.push_back(largest);
    }
  expectNear(m.run(y), want, 1e-4, 1e-5);
}

TEST(RoiAlignOp, RefusesWhatItCannotDo) {
  Model m;
  const auto x = m.randomInput({2, 2, size, size}), rois = m.randomInput({3, 4}),
             batch = m.input({3}, {1, 0, 1}, DataType::INT64);
  try {
    m.b.op("RoiAlign", {x, rois, batch}, {{"mode", std::string("max")}});
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "RoiAlign: sampling_ratio is 0; maxima need a fixed number of samples, "
                           "at least 1.");
  }
}

TEST(MaxUnpoolOp, PutsElementsWhereTheyCameFrom) {
  for (bool larger : {false, true}) {
    Model m; // the examples of the ONNX documentation
    const auto x = m.input({1, 1, 2, 2}, {1, 2, 3, 4}),
               places = m.input({1, 1, 2, 2}, {5, 7, 13, 15}, DataType::INT64);
    Values inputs{x, places};
    if (larger)
      inputs.push_back(m.constant({4}, {1, 1, 5, 5}, DataType::INT64));
    const auto y =
        m.imported("MaxUnpool", inputs,
                   {{"kernel_shape", ir::Integers{2, 2}}, {"strides", ir::Integers{2, 2}}}, 11)[0];
    const std::size_t n = larger ? 5 : 4;
    Doubles want(n * n, 0);
    want[n + 1] = 1;
    want[n + 3] = 2;
    want[3 * n + 1] = 3;
    want[3 * n + 3] = 4;
    expectNear(m.run(y), want);
    m.checkGradients(y, {x});
  }
}
