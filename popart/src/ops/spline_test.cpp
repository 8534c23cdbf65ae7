// SPDX-License-Identifier: MIT
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

// Degree 1, open: hat functions over knots 0 .. kernel size - 1.
TEST(SplineOps, InterpolateWeightsLinearly) {
  Model m;
  const auto pseudo = m.input({2, 1}, {0.25, 0.8}), kernel = m.input({1}, {3}, DataType::INT32),
             open = m.input({1}, {1}, DataType::UINT8);
  const auto b = m.b.ops("SplineBasis", {pseudo, kernel, open}, 2, {{"degree", std::int64_t(1)}});
  const auto x = m.input({2, 2}, {1, 2, 3, 4}), w = m.input({3, 2, 1}, {1, 2, 10, 20, 100, 200});
  const auto y = m.b.op("SplineWeighting", {x, w, b[0], b[1]});
  EXPECT_EQ(m.graph[y].info.shape(), (Shape{2, 1}));
  // positions 0.5 and 1.6 between the knots; products with the weights of each knot
  expectNear(m.run(y), {0.5 * 5 + 0.5 * 50, 0.4 * 110 + 0.6 * 1100}, 1e-4);
}

TEST(NormalizeImageOp, ScalesMovesAndAddsAChannel) {
  for (auto type : {DataType::FLOAT, DataType::UINT8}) {
    const auto out = type == DataType::UINT8 ? DataType::FLOAT16 : type;
    Model m;
    const auto x = m.input({1, 2, 3}, {10, 20, 30, 40, 50, 60}, type),
               offsets = m.input({3}, {1, 2, 3}, out), scales = m.input({3}, {2, 1, 0.5}, out);
    const auto y = m.b.op("NormalizeImage", {x, offsets, scales}, {{"scale", 0.5f}});
    EXPECT_EQ(m.graph[y].info, TensorInfo(out, {1, 2, 4}));
    expectNear(m.run(y), {8, 8, 6, 0, 38, 23, 13.5, 0});
  }
}

TEST(SplineOps, RefuseDegreesThatPopLibsHasNot) {
  Model m;
  const auto pseudo = m.input({2, 1}, {0.25, 0.8}), kernel = m.input({1}, {3}, DataType::INT32),
             open = m.input({1}, {1}, DataType::UINT8);
  try {
    m.b.ops("SplineBasis", {pseudo, kernel, open}, 2, {{"degree", std::int64_t(4)}});
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "SplineBasis: degree is 4; it must be 1, 2 or 3.");
  }
}
