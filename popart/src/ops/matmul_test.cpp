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

// Cut into parts, a product and its gradients are what they were; only the programs differ.
TEST(MatMulOp, SerializesAlongEveryDimension) {
  for (const std::string mode : {"input_channels", "output_channels", "reducing_dim", "none"})
    for (const Shape &as : {Shape{4, 6}, Shape{2, 4, 6}}) {
      Model m;
      m.options.training = true;
      const auto a = m.randomInput(as), b = m.randomInput({6, 8});
      const auto whole = m.b.matmul(a, b);
      m.b.settings.extra = {{"__serialize_matmul_mode", mode},
                            {"__serialize_matmul_factor", std::int64_t(2)},
                            {"__serialize_matmul_prec", std::int64_t(1)}};
      const auto parts = m.b.matmul(a, b);
      m.b.settings.extra = {};
      const auto got = m.run({whole, parts});
      expectNear(got[1], got[0]);
      m.checkGradients(parts, {a, b});
    }
}

TEST(MatMulOp, KeepsThePrecisionOfPartialSumsIfAsked) {
  for (bool keep : {false, true}) {
    Model m; // 2048 + 1 - 2048: a half cannot hold the first sum
    const auto a = m.input({1, 4}, {2048, 1, -2048, 0}, DataType::FLOAT16),
               b = m.input({4, 1}, {1, 1, 1, 1}, DataType::FLOAT16);
    m.b.settings.extra = {{"__serialize_matmul_mode", std::string("reducing_dim")},
                          {"__serialize_matmul_factor", std::int64_t(2)},
                          {"__serialize_matmul_prec", std::int64_t(keep)}};
    EXPECT_EQ(m.run(m.b.matmul(a, b))[0], keep ? 1 : 0);
  }
}

TEST(MatMulOp, RefusesPartsThatAreNotEqual) {
  Model m;
  const auto a = m.randomInput({4, 6}), b = m.randomInput({6, 8});
  m.b.settings.extra = {{"__serialize_matmul_mode", std::string("reducing_dim")},
                        {"__serialize_matmul_factor", std::int64_t(4)}};
  const auto y = m.b.matmul(a, b);
  try {
    m.run(y);
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(),
                 "MatMul (output \"MatMul:0\"): it is to be serialized over reducing_dim in 4 "
                 "parts; the 6 elements there cannot be cut into that many equal ones.");
  }
}

TEST(MatMulOp, AProductOverNothingIsZero) {
  Model m;
  const auto a = m.input({2, 0}, {}), b = m.input({0, 3}, {});
  expectNear(m.run(m.b.matmul(a, b)), Doubles(6, 0));
}
