// SPDX-License-Identifier: MIT
// Dropout, random numbers, quantization, PrintTensor and Abort.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

std::string messageOf(const std::function<void()> &f) {
  try {
    f();
  } catch (const std::exception &e) {
    return e.what();
  }
  return "no error";
}
double mean(const Doubles &x) {
  double sum = 0;
  for (double v : x)
    sum += v;
  return sum / double(x.size());
}
double deviation(const Doubles &x) {
  const double middle = mean(x);
  double sum = 0;
  for (double v : x)
    sum += (v - middle) * (v - middle);
  return std::sqrt(sum / double(x.size()));
}

} // namespace

TEST(DropoutOp, DropsAndScalesWhileTraining) {
  for (DataType type : {DataType::FLOAT, DataType::FLOAT16}) {
    Model m;
    m.options.training = true;
    const Value x = m.input({40, 50}, Doubles(2000, 3), type);
    const Values y = m.b.ops("Dropout", {x}, 2, {{"ratio", 0.25f}});
    const Value other = m.b.op("Dropout", {x}, {{"ratio", 0.25f}});
    const auto got = m.run({y[0], y[1], other});
    EXPECT_NEAR(mean(got[1]), 0.75, 0.04);
    for (std::size_t i = 0; i < 2000; ++i)
      ASSERT_EQ(got[0][i], got[1][i] ? 4 : 0);
    EXPECT_NE(got[0], got[2]); // every node draws its own
  }
}

TEST(DropoutOp, GradientPassesWhereTheForwardPassDid) {
  for (const char *type : {"Dropout", "ShapedDropout"}) {
    Model m;
    m.options.training = true;
    const Value x = m.randomInput({8, 6}, 1, 2);
    ir::Attributes attributes{{"ratio", 0.5f}};
    if (type[0] == 'S')
      attributes.set("shape", ir::Integers{8, 1});
    // Another layout of the gradient than of x must not choose other elements.
    const Value y = m.b.op(type, {x}, attributes);
    const Value t = m.b.transpose(y, {1, 0});
    m.checkGradients(m.b.matmul(t, m.constant({8, 3}, m.random(24))), {x});
    const auto out = m.run(y);
    for (std::size_t i = 0; i < 48 && type[0] == 'S'; ++i)
      EXPECT_EQ(out[i] == 0, out[i / 6 * 6] == 0);
  }
}

TEST(DropoutOp, IsTheIdentityOtherwise) {
  Model m;
  const Value x = m.randomInput({3, 5});
  const Values y = m.b.ops("Dropout", {x}, 2);
  expectNear(m.run(y[0]), m.fed(x));
  EXPECT_EQ(mean(m.run(y[1])), 1);
  m.options.training = true;
  const Value off = m.imported("Dropout", {x}, {{"is_test", std::int64_t(1)}}, 6)[0],
              absent = m.imported("Dropout", {x, m.constant({}, {0.9})}, {}, 13)[0],
              zero = m.imported("Dropout", {x}, {{"ratio", 0.0f}}, 7)[0],
              on = m.imported("Dropout",
                              {x, m.constant({}, {0.9}), m.constant({}, {1}, DataType::BOOL)}, {},
                              12)[0];
  const auto got = m.run({off, absent, zero, on});
  expectNear(got[0], m.fed(x));
  expectNear(got[1], m.fed(x));
  expectNear(got[2], m.fed(x));
  EXPECT_GT(std::count(got[3].begin(), got[3].end(), 0.0), 5);
}

TEST(DropoutOp, DrawsTheSameForTheSameSeed) {
  Model m;
  m.options.training = true;
  const Value x = m.randomInput({60}, 1, 2);
  const auto seeded = [&](std::int64_t seed) { return m.b.op("Dropout", {x}, {{"seed", seed}}); };
  const auto got = m.run({seeded(3), seeded(3), seeded(4)});
  EXPECT_EQ(got[0], got[1]);
  EXPECT_NE(got[0], got[2]);
}

TEST(DropoutOp, RefusesBadRatiosAndShapes) {
  Model m;
  const Value x = m.randomInput({3, 5});
  EXPECT_EQ(messageOf([&] {
              m.b.op("Dropout", {x}, {{"ratio", 1.5f}});
            }),
            "Dropout: ratio is 1.5; it must be between 0 and 1.");
  EXPECT_EQ(messageOf([&] {
              m.b.op("ShapedDropout", {x}, {{"shape", ir::Integers{3, 5, 1}}});
            }),
            "ShapedDropout: shapes [3,5] and [3,5,1] do not broadcast: dimension 1 is 3 and 5. "
            "Make them equal, or one of them 1.");
}

TEST(RandomOps, HaveTheDistributionsAskedFor) {
  for (DataType type : {DataType::FLOAT, DataType::FLOAT16}) {
    Model m;
    const Value like = m.randomInput({50, 60}, -1, 1, type);
    const std::int64_t code = type == DataType::FLOAT ? 1 : 10;
    const ir::Integers shape{50, 60};
    const Values y{m.b.op("RandomNormal", {},
                          {{"shape", shape}, {"dtype", code}, {"mean", 2.0f}, {"scale", 3.0f}}),
                   m.b.op("RandomNormalLike", {like}),
                   m.b.op("RandomUniform", {},
                          {{"shape", shape}, {"dtype", code}, {"low", -2.0f}, {"high", 4.0f}}),
                   m.b.op("RandomUniformLike", {like}), m.b.op("RandomNormalLike", {like})};
    for (Value v : y)
      EXPECT_EQ(m.graph[v].info, m.graph[like].info);
    const auto got = m.run(y);
    const double wantMean[] = {2, 0, 1, 0.5, 0},
                 wantDeviation[] = {3, 1, 6 / std::sqrt(12), 1 / std::sqrt(12), 1};
    for (std::size_t i = 0; i < y.size(); ++i) {
      EXPECT_NEAR(mean(got[i]), wantMean[i], 0.2);
      EXPECT_NEAR(deviation(got[i]), wantDeviation[i], 0.15);
    }
    EXPECT_NE(got[1], got[4]);
    EXPECT_EQ(m.run(y[1]), got[1]); // the same seed again
  }
}

TEST(RandomOps, BernoulliFollowsItsProbabilities) {
  Model m;
  Doubles p(3000, 0.3);
  for (std::size_t i = 0; i < 1000; ++i)
    p[i] = 0, p[1000 + i] = 1;
  const Value x = m.input({3, 1000}, p);
  const auto got =
      m.run({m.b.op("Bernoulli", {x}), m.b.op("Bernoulli", {x}, {{"dtype", std::int64_t(9)}})});
  for (const auto &y : got) {
    EXPECT_EQ(mean({y.begin(), y.begin() + 1000}), 0);
    EXPECT_EQ(mean({y.begin() + 1000, y.begin() + 2000}), 1);
    EXPECT_NEAR(mean({y.begin() + 2000, y.end()}), 0.3, 0.06);
  }
}

TEST(RandomOps, MultinomialDrawsClassesByTheirProbabilities) {
  Model m;
  const Value x = m.input({1, 3}, {std::log(0.2), -INFINITY, std::log(0.8)});
  const Value y = m.b.op("Multinomial", {x}, {{"sample_size", std::int64_t(2000)}});
  EXPECT_EQ(m.graph[y].info, TensorInfo(DataType::INT32, {1, 2000}));
  const auto got = m.run(y);
  EXPECT_EQ(std::count(got.begin(), got.end(), 1.0), 0);
  EXPECT_NEAR(double(std::count(got.begin(), got.end(), 2.0)) / 2000, 0.8, 0.05);
}

TEST(RandomOps, TakeShapesWithoutElements) {
  Model m;
  m.options.training = true;
  const Value x = m.input({0, 3}, {});
  const Values y = m.b.ops("Dropout", {x}, 2);
  for (const auto &none : m.run({y[0], y[1], m.b.op("RandomNormalLike", {x}),
                                 m.b.op("RandomUniformLike", {x}), m.b.op("Bernoulli", {x})}))
    EXPECT_TRUE(none.empty());
}

TEST(RandomOps, DrawTheSameWithTheSameSeed) {
  Model m;
  for (const std::string type : {"RandomNormal", "RandomUniform"}) {
    const auto drawn = [&](float seed) {
      return m.b.op(type, {}, {{"shape", ir::Integers{50}}, {"seed", seed}});
    };
    const auto got = m.run({drawn(1), drawn(2), drawn(1)});
    EXPECT_EQ(got[0], got[2]);
    EXPECT_NE(got[0], got[1]);
  }
}

TEST(RandomOps, RefuseIntegers) {
  Model m;
  EXPECT_EQ(messageOf([&] { m.b.op("RandomUniformLike", {m.input({1}, {1}, DataType::INT32)}); }),
            "RandomUniformLike: random numbers of type INT32 cannot be drawn; dtype must be FLOAT "
            "or FLOAT16.");
}

TEST(QuantizeOps, RoundToTheRangeOfTheTypeAndBack) {
  Model m;
  const Value x = m.input({6}, {0, 2, 3, 1000, -254, -1000});
  const Value scale = m.constant({}, {2}), point = m.constant({}, {128}, DataType::UINT8);
  const Value q = m.imported("QuantizeLinear", {x, scale, point}, {}, 10)[0];
  const auto y = m.run({q, m.imported("DequantizeLinear", {q, scale, point}, {}, 10)[0],
                        m.imported("QuantizeLinear", {x, scale}, {}, 10)[0]});
  expectNear(y[0], {128, 129, 130, 255, 1, 0});
  expectNear(y[1], {0, 2, 4, 254, -254, -256});
  expectNear(y[2], {0, 1, 2, 255, 0, 0});
  EXPECT_EQ(m.graph[q].info.dataType(), DataType::UINT8);
}

TEST(QuantizeOps, HaveScalesPerAxis) {
  Model m;
  const Value x = m.input({1, 2, 3}, {-162, 10, -100, 232, -20, -50}), scale = m.input({2}, {2, 4}),
              point = m.input({2}, {84, -24}, DataType::INT8);
  const ir::Attributes axis{{"axis", std::int64_t(-2)}};
  const Value q = m.imported("QuantizeLinear", {x, scale, point}, axis, 13)[0];
  const auto y = m.run({q, m.imported("DequantizeLinear", {q, scale, point}, axis, 13)[0]});
  expectNear(y[0], {3, 89, 34, 34, -29, -36});
  expectNear(y[1], {-162, 10, -100, 232, -20, -48});
  EXPECT_EQ(messageOf([&] { m.imported("QuantizeLinear", {x, scale}, {}, 13); }), "no error");
  EXPECT_EQ(messageOf([&] {
              m.imported("QuantizeLinear", {x, scale}, {{"axis", std::int64_t(2)}}, 13);
            }),
            "QuantizeLinear: the scale has 2 elements, but dimension 2 of [1,2,3] is 3.");
}

TEST(QuantizeOps, FindScaleAndZeroPointThemselves) {
  Model m;
  const Value x = m.input({6}, {0, 2, -3, -2.5, 1.34, 0.5}), zeros = m.input({2}, {0, 0});
  const Values y = m.b.ops("DynamicQuantizeLinear", {x}, 3),
               z = m.b.ops("DynamicQuantizeLinear", {zeros}, 3);
  const auto got = m.run({y[0], y[1], y[2], z[0], z[1], z[2]});
  expectNear(got[0], {153, 255, 0, 26, 221, 179});
  expectNear(got[1], {5.0 / 255});
  expectNear(got[2], {153});
  expectNear(got[3], {0, 0});
  expectNear(got[4], {0});
  expectNear(got[5], {0});
}

TEST(PrintTensorOp, PrintsValuesAndGradients) {
  Model m;
  const Value x = m.input({2}, {1, 2});
  const Value y =
      m.b.op("PrintTensor", {x}, {{"title", std::string("acts")}, {"separator", std::string(",")}});
  const Value loss = m.b.reduceSum(m.b.mul(y, 3.0), {0}, false);
  const auto g = autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {x}});
  ::testing::internal::CaptureStderr();
  const auto got = m.run({y, g.at(x)});
  const std::string printed = ::testing::internal::GetCapturedStderr();
  expectNear(got[0], {1, 2});
  expectNear(got[1], {3, 3});
  EXPECT_EQ(printed.find("acts"), 0u) << printed;
  EXPECT_NE(printed.find("Gradient___acts"), std::string::npos) << printed;
}

TEST(AbortOp, EndsTheRunIfAnElementIsNotZero) {
  for (double bad : {0.0, 1.0}) {
    Model m;
    const Value x = m.input({3}, {0, bad, 0});
    m.b.ops("Abort", {x}, 0);
    const std::string message = messageOf([&] { m.run(x); });
    EXPECT_EQ(message.find("is not zero") != std::string::npos, bad != 0) << message;
  }
  Model m;
  const Value x = m.input({1}, {0});
  m.b.ops("Abort", {}, 0);
  EXPECT_NE(messageOf([&] { m.run(x); }).find("Abort was reached"), std::string::npos);
}
