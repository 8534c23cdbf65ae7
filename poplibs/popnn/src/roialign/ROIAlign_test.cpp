// SPDX-License-Identifier: MIT
#include "../norm/TestLayouts.hpp"
#include "popnn/experimental/ROIAlign.hpp"
#include "poputil/exceptions.hpp"

namespace {

using popnn::experimental::roiAlignParams;

// Bilinear value at (y, x) of one plane, as weights of its elements.
template <class Add>
void sample(double y, double x, std::size_t height, std::size_t width, Add add) {
  if (y < -1 || x < -1 || y > double(height) || x > double(width))
    return;
  y = std::min(std::max(y, 0.0), double(height - 1));
  x = std::min(std::max(x, 0.0), double(width - 1));
  auto y0 = std::size_t(y), x0 = std::size_t(x);
  auto y1 = std::min(y0 + 1, height - 1), x1 = std::min(x0 + 1, width - 1);
  double fy = y - double(y0), fx = x - double(x0);
  add(y0 * width + x0, (1 - fy) * (1 - fx));
  add(y0 * width + x1, (1 - fy) * fx);
  add(y1 * width + x0, fy * (1 - fx));
  add(y1 * width + x1, fy * fx);
}

// add(output element, input element, weight)
template <class Add>
void forSamples(const Shape &data, const Doubles &rois, const Doubles &batch,
                const roiAlignParams &p, Add add) {
  auto bins = std::size_t(p.poolH * p.poolW), plane = data[2] * data[3];
  for (std::size_t n = 0; n < batch.size(); ++n) {
    double shift = p.aligned ? 0.5 : 0, scale = p.spatialScale;
    double left = rois[4 * n] * scale - shift, top = rois[4 * n + 1] * scale - shift;
    double w = rois[4 * n + 2] * scale - shift - left, h = rois[4 * n + 3] * scale - shift - top;
    if (!p.aligned) {
      w = std::max(w, 1.0);
      h = std::max(h, 1.0);
    }
    double bh = h / p.poolH, bw = w / p.poolW;
    int gh = p.samplingRatio ? p.samplingRatio : int(std::ceil(bh));
    int gw = p.samplingRatio ? p.samplingRatio : int(std::ceil(bw));
    for (std::size_t c = 0; c < data[1]; ++c)
      for (std::size_t bin = 0; bin < bins; ++bin)
        for (int i = 0; i < gh * gw; ++i) {
          double y = top + (double(bin / std::size_t(p.poolW)) + (i / gw + 0.5) / gh) * bh;
          double x = left + (double(bin % std::size_t(p.poolW)) + (i % gw + 0.5) / gw) * bw;
          sample(y, x, data[2], data[3], [&](std::size_t at, double weight) {
            add((n * data[1] + c) * bins + bin, (std::size_t(batch[n]) * data[1] + c) * plane + at,
                weight / (gh * gw));
          });
        }
  }
}

TEST(ROIAlign, ForwardAndGradientAgreeWithPlainLoops) {
  Session s;
  Shape shape{2, 3, 9, 8};
  Doubles rois = {1, 1, 12, 14, 0, 0, 3, 2, 5, 6, 20, 21, 4, 4, 4.5, 4.2}, batch = {0, 1, 1, 0};
  struct Pending {
    roiAlignParams p;
    Doubles x, g;
    std::size_t y, dx;
  };
  std::vector<Pending> pending;
  for (int ratio : {0, 2})
    for (bool aligned : {false, true})
      for (unsigned layout : {0u, 1u}) {
        roiAlignParams p(ratio, 3, 2, aligned, 0.5f);
        auto x = s.random(count(shape)), g = s.random(4 * 3 * 6);
        auto data = inOrder(s, poplar::FLOAT, shape, activationOrders(4)[layout], x);
        auto regions = s.input(poplar::FLOAT, {4, 4}, rois);
        auto index = layout ? s.input(poplar::INT, {4}, batch) : s.input(poplar::FLOAT, {4}, batch);
        auto y = popnn::experimental::roiAlignFwd(s.graph, s.prog, data, regions, index, p);
        auto dx = popnn::experimental::roiAlignInputGradient(
            s.graph, s.prog, data, regions, index, s.input(poplar::FLOAT, {4, 3, 3, 2}, g), p);
        pending.push_back({p, x, g, s.output(y), s.output(dx)});
      }
  s.run();
  for (const auto &c : pending) {
    Doubles y(c.g.size(), 0), dx(c.x.size(), 0);
    forSamples(shape, rois, batch, c.p, [&](std::size_t o, std::size_t i, double weight) {
      y[o] += weight * c.x[i];
      dx[i] += weight * c.g[o];
    });
    expectClose(s.values(c.y), y, 1e-4, 1e-5);
    expectClose(s.values(c.dx), dx, 1e-4, 1e-5);
  }
}

TEST(ROIAlign, RefusesRegionsWithoutFourNumbers) {
  Session s;
  auto data = s.input(poplar::FLOAT, {1, 1, 2, 2}, Doubles(4));
  auto rois = s.input(poplar::FLOAT, {1, 3}, Doubles(3)), index = s.input(poplar::INT, {1}, {0});
  EXPECT_THROW(popnn::experimental::roiAlignFwd(s.graph, s.prog, data, rois, index,
                                                roiAlignParams(1, 1, 1, true, 1)),
               poputil::poplibs_error);
}

} // namespace
