// SPDX-License-Identifier: MIT
#include "../norm/TestLayouts.hpp"
#include "popnn/SpatialSoftMax.hpp"
#include "poputil/exceptions.hpp"

namespace {

Doubles positions(const Doubles &x, const Shape &shape, double temperature, bool softmax) {
  Doubles out;
  auto plane = shape[1] * shape[2];
  for (std::size_t f = 0; f < shape[0]; ++f) {
    double sum = 0, sx = 0, sy = 0;
    for (std::size_t i = 0; i < plane; ++i) {
      double p = x[f * plane + i];
      p = softmax ? std::exp(p / temperature) : p;
      sum += p;
      sx += p * (shape[2] > 1 ? -1 + 2.0 * double(i % shape[2]) / double(shape[2] - 1) : -1);
      sy += p * (shape[1] > 1 ? -1 + 2.0 * double(i / shape[2]) / double(shape[1] - 1) : -1);
    }
    out.push_back(softmax ? sy / sum : sy); // row, column
    out.push_back(softmax ? sx / sum : sx);
  }
  return out;
}

TEST(SpatialSoftMax, GivesTheMeanPositionOfEachField) {
  Session s;
  Shape shape{3, 5, 7};
  auto x = s.random(105, -2, 2);
  auto [out, temperature] =
      popnn::spatialSoftMax2D(s.graph, s.prog, s.input(poplar::FLOAT, shape, x), 0.5f);
  auto half =
      popnn::spatialSoftMax2D(s.graph, s.prog, inOrder(s, poplar::HALF, shape, {1, 2, 0}, x), 0.5f);
  auto weights =
      popnn::spatialSoftMax2D(s.graph, s.prog, s.input(poplar::FLOAT, shape, x), 1, true);
  auto a = s.output(out), b = s.output(temperature), c = s.output(half.first),
       d = s.output(weights.first);
  s.run();
  expectClose(s.values(a), positions(x, shape, 0.5, true), 1e-5, 1e-6);
  EXPECT_EQ(s.values(b), (Doubles{0.5}));
  expectClose(s.values(c), positions(x, shape, 0.5, true), 1e-2, 5e-3);
  expectClose(s.values(d), positions(x, shape, 1, false), 1e-5, 1e-5);
}

TEST(SpatialSoftMax, RefusesOtherRanks) {
  Session s;
  auto flat = s.input(poplar::FLOAT, {3, 4}, Doubles(12));
  EXPECT_THROW(popnn::spatialSoftMax2D(s.graph, s.prog, flat, 1), poputil::poplibs_error);
}

} // namespace
