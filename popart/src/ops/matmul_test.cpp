// SPDX-License-Identifier: MIT
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

TEST(MatMulOp, MultipliesMatricesVectorsAndGroupsAsNumpyDoes) {
  struct Case {
    Shape a, b, y;
  };
  for (const auto &[a, b, y] : std::vector<Case>{{{3, 4}, {4, 5}, {3, 5}},
                                                 {{4}, {4, 5}, {5}},
                                                 {{3, 4}, {4}, {3}},
                                                 {{4}, {4}, {}},
                                                 {{2, 3, 4}, {4, 5}, {2, 3, 5}},
                                                 {{2, 3, 4}, {2, 4, 5}, {2, 3, 5}},
                                                 {{2, 1, 3, 4}, {3, 4, 5}, {2, 3, 3, 5}}}) {
    Model m;
    const auto x = m.randomInput(a), w = m.randomInput(b);
    const auto out = m.b.matmul(x, w);
    EXPECT_EQ(m.graph[out].info.shape(), y) << ir::text(a) << ir::text(b);
    m.checkGradients(out, {x, w});
  }
}

TEST(MatMulOp, GivesTheProductOfAPlainLoop) {
  Model m;
  const auto a = m.randomInput({2, 3, 7}), b = m.randomInput({7, 5});
  const auto av = m.fed(a), bv = m.fed(b);
  Doubles want(30, 0);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 7; ++k)
        want[i * 5 + j] += av[i * 7 + k] * bv[k * 5 + j];
  expectNear(m.run(m.b.matmul(a, b)), want);
}

TEST(MatMulOp, RefusesInnerDimensionsThatDiffer) {
  Model m;
  const auto a = m.randomInput({3, 4}), b = m.randomInput({5, 6});
  try {
    m.b.matmul(a, b);
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(
        e.what(),
        "MatMul: shapes [3,4] and [5,6] do not multiply: the inner dimensions are 4 and 5.");
  }
}

TEST(ReluOp, CutsOffBelowZeroAndDifferentiates) {
  Model m;
  const auto x = m.input({4}, {-1, 0.5, 2, -3});
  const auto y = m.b.op("Relu", {x});
  expectNear(m.run(y), {0, 0.5, 2, 0});
  m.checkGradients(y, {x});
}

TEST(Autodiff, AddsTheGradientsOfSeveralUses) {
  Model m;
  const auto x = m.randomInput({3, 3});
  const auto y = m.b.add(m.b.mul(x, x), m.b.matmul(x, m.b.transpose(x, {1, 0})));
  m.checkGradients(y, {x});
}
