// SPDX-License-Identifier: MIT
// Distributions by their moments and counts; reproducibility exactly. Bounds are about five
// standard deviations of the statistic, and the seeds are fixed, so these tests never fail by
// chance.
#include "base/Threads.hpp"
#include "poprand/codelets.hpp"
#include "poprand/RandomGen.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <algorithm>
#include <cfloat>
#include <functional>

using poplar::Tensor;

struct Moments {
  double mean, deviation, low, high;
  explicit Moments(const Doubles &x)
      : mean(std::accumulate(x.begin(), x.end(), 0.0) / double(x.size())), deviation(0),
        low(*std::min_element(x.begin(), x.end())), high(*std::max_element(x.begin(), x.end())) {
    for (double v : x)
      deviation += (v - mean) * (v - mean);
    deviation = std::sqrt(deviation / double(x.size()));
  }
};
// The share of values at most x.
static double below(const Doubles &values, double x) {
  return double(std::count_if(values.begin(), values.end(), [&](double v) { return v <= x; })) /
         double(values.size());
}
// The largest distance between the distribution of values and the expected one.
static double distance(Doubles values, const std::function<double(double)> &cumulative) {
  std::sort(values.begin(), values.end());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = cumulative(values[i]);
    worst = std::max({worst, std::abs(expected - double(i) / double(values.size())),
                      std::abs(expected - double(i + 1) / double(values.size()))});
  }
  return worst;
}
constexpr std::size_t many = 40001;
static const double far = 2.5 / std::sqrt(double(many)); // Kolmogorov: one in 10^5

struct RandomTest : testing::Test {
  Session s{16};
  Tensor seed = s.input(poplar::UNSIGNED_INT, {2}, {1234, 567});
  Tensor reference(const Shape &shape = {many}) {
    return s.graph.addVariable(poplar::FLOAT, shape, poplar::VariableMappingMethod::LINEAR);
  }
};

TEST_F(RandomTest, FloatsAndHalvesFollowTheirDistributions) {
  auto ref = reference();
  std::vector<std::size_t> uniform, narrow, normal, truncated, logs;
  for (auto type : {poplar::FLOAT, poplar::HALF}) {
    uniform.push_back(
        s.output(poprand::uniform(s.graph, &seed, 1, ref, type, -2, 6, s.prog, "uniform")));
    narrow.push_back(s.output(poprand::uniform(s.graph, &seed, 2, ref, type, 0.1, 0.1004, s.prog)));
    normal.push_back(s.output(poprand::normal(s.graph, &seed, 3, ref, type, 0.5, 2, s.prog)));
    truncated.push_back(
        s.output(poprand::truncatedNormal(s.graph, &seed, 4, ref, type, -1, 2, 1.5, s.prog)));
    logs.push_back(s.output(poprand::logUniform(s.graph, &seed, 5, ref, type, 2, 500, s.prog, 10)));
  }
  s.run();
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / M_SQRT2); };
  for (unsigned i = 0; i < 2; ++i) {
    const double rounding = i ? 1e-3 : 0; // of halves
    Moments u(s.values(uniform[i])), n(s.values(narrow[i])), t(s.values(truncated[i]));
    EXPECT_GE(u.low, -2);
    EXPECT_LE(u.high, 6);
    EXPECT_LT(distance(s.values(uniform[i]), [](double x) { return (x + 2) / 8; }), far + rounding);
    EXPECT_GE(n.low, 0.1); // though neither bound is representable
    EXPECT_LE(n.high, 0.1004);
    EXPECT_LT(n.low, n.high);
    EXPECT_LT(distance(s.values(normal[i]), [&](double x) { return phi((x - 0.5) / 2); }),
              far + rounding);
    EXPECT_GE(t.low, -4);
    EXPECT_LE(t.high, 2);
    const double cut = phi(-1.5), rest = 1 - 2 * cut;
    EXPECT_LT(
        distance(s.values(truncated[i]), [&](double x) { return (phi((x + 1) / 2) - cut) / rest; }),
        far + rounding);
    EXPECT_LT(
        distance(s.values(logs[i]), [](double x) { return std::log(x / 2) / std::log(250.0); }),
        far + rounding);
    EXPECT_GE(Moments(s.values(logs[i])).low, 2);
    EXPECT_LE(Moments(s.values(logs[i])).high, 500);
  }
}

TEST_F(RandomTest, TheNormalDistributionHasItsTailsAndNoCorrelation) {
  auto y =
      s.run(poprand::normal(s.graph, &seed, 9, reference({1000000}), poplar::FLOAT, 0, 1, s.prog));
  EXPECT_NEAR(1 - below(y, 4), 3.167e-5, 5 * std::sqrt(3.167e-5 / 1e6));
  EXPECT_NEAR(Moments(y).deviation, 1, 0.004);
  for (std::size_t lag : {1, 2, 16, 32, 64, 1024}) { // neighbours, pairs, lanes, blocks
    double sum = 0;
    for (std::size_t i = lag; i < y.size(); ++i)
      sum += y[i] * y[i - lag];
    EXPECT_LT(std::abs(sum) / 1e6, 5e-3) << lag;
  }
}

TEST_F(RandomTest, IntegersCoverClosedIntervals) {
  auto ref = reference();
  auto dice = s.output(poprand::uniform(s.graph, &seed, 1, ref, poplar::INT, -2, 3, s.prog));
  auto one = s.output(poprand::uniform(s.graph, &seed, 2, ref, poplar::INT, 7, 7, s.prog));
  auto all = s.output(
      poprand::uniform(s.graph, &seed, 3, ref, poplar::INT, -2147483648.0, 2147483647.0, s.prog));
  auto logs = s.output(poprand::logUniform(s.graph, &seed, 4, ref, poplar::INT, 1, 8, s.prog));
  s.run();
  for (int v = -2; v <= 3; ++v)
    EXPECT_NEAR(double(std::count(s.values(dice).begin(), s.values(dice).end(), v)), many / 6.0,
                5 * std::sqrt(many / 6.0));
  EXPECT_EQ(s.values(one), Doubles(many, 7));
  Moments m(s.values(all));
  EXPECT_LT(m.low, -2.1e9);
  EXPECT_GT(m.high, 2.1e9);
  EXPECT_LT(distance(s.values(all), [](double x) { return (x + 2147483648.0) / 4294967296.0; }),
            far);
  for (int v = 1; v <= 8; ++v) // [v, v + 1) of [1, 9)
    EXPECT_NEAR(double(std::count(s.values(logs).begin(), s.values(logs).end(), v)) / many,
                std::log((v + 1.0) / v) / std::log(9.0), 5 * 0.5 / std::sqrt(many));
}

TEST_F(RandomTest, BernoulliCountsFollowTheProbability) {
  auto ref = reference();
  std::vector<std::pair<double, std::size_t>> outputs;
  for (auto type : {poplar::FLOAT, poplar::HALF, poplar::INT})
    for (double p : {0.0, 0.1, 0.5, 1.0})
      outputs.emplace_back(p,
                           s.output(poprand::bernoulli(s.graph, &seed, 7, ref, type, p, s.prog)));
  s.run();
  for (const auto &[p, i] : outputs) {
    const auto &y = s.values(i);
    const auto ones = std::count(y.begin(), y.end(), 1.0),
               zeros = std::count(y.begin(), y.end(), 0);
    EXPECT_EQ(std::size_t(ones + zeros), many);
    EXPECT_NEAR(double(ones) / many, p, 5 * std::sqrt(p * (1 - p) / many));
  }
}

TEST_F(RandomTest, SeedModifierAndElementDecideTheValues) {
  auto ref = reference({100, 7});
  auto other = s.input(poplar::UNSIGNED_INT, {2}, {1234, 568});
  auto draw = [&](const Tensor &with, unsigned modifier, const Tensor &like) {
    return poprand::normal(s.graph, &with, modifier, like, poplar::FLOAT, 0, 1, s.prog);
  };
  auto a = s.output(draw(seed, 1, ref)), again = s.output(draw(seed, 1, ref));
  auto modified = s.output(draw(seed, 2, ref)), reseeded = s.output(draw(other, 1, ref));
  auto shorter = s.output(draw(seed, 1, ref.slice(0, 10)));
  auto transposed = draw(seed, 1, ref.transpose()); // the same memory, so the same draws
  EXPECT_EQ(transposed.shape(), (Shape{7, 100}));
  auto t = s.output(transposed.transpose());
  auto reversed = s.output(draw(seed.reverse(0), 1, ref));
  s.run();
  EXPECT_EQ(s.values(a), s.values(again));
  EXPECT_EQ(s.values(a), s.values(t));
  EXPECT_EQ(s.values(shorter), Doubles(s.values(a).begin(), s.values(a).begin() + 70));
  for (auto different : {modified, reseeded, reversed}) {
    std::size_t same = 0;
    for (std::size_t i = 0; i < 700; ++i)
      same += s.values(a)[i] == s.values(different)[i];
    EXPECT_LT(same, 3u);
  }
}

TEST_F(RandomTest, ResultsDoNotDependOnTheNumberOfThreads) {
  auto ref = reference({many});
  auto x = s.input(poplar::HALF, {many}, s.random(many));
  auto a = s.output(poprand::normal(s.graph, &seed, 1, ref, poplar::HALF, 0, 1, s.prog));
  auto b = s.output(poprand::uniform(s.graph, &seed, 1, ref, poplar::INT, 0, 1000, s.prog));
  auto c = s.output(poprand::dropout(s.graph, &seed, 1, x, x, 0.5, 2, s.prog));
  const unsigned before = base::numThreads();
  base::setNumThreads(1);
  s.run();
  const Doubles first[] = {s.values(a), s.values(b), s.values(c)};
  base::setNumThreads(3);
  s.run();
  base::setNumThreads(before);
  EXPECT_EQ(s.values(a), first[0]);
  EXPECT_EQ(s.values(b), first[1]);
  EXPECT_EQ(s.values(c), first[2]);
}

TEST_F(RandomTest, WithoutASeedDrawsContinueTheDevicesGenerator) {
  auto ref = reference({500});
  auto draw = [&] {
    return s.output(poprand::uniform(s.graph, nullptr, 0, ref, poplar::FLOAT, 0, 1, s.prog));
  };
  poprand::setSeed(s.graph, seed, 5, s.prog, "seed");
  auto a = draw(), b = draw();
  s.prog.add(poplar::program::Sync(poplar::SyncType::INTERNAL));
  auto seeded = s.output(poprand::uniform(s.graph, &seed, 5, ref, poplar::FLOAT, 0, 1, s.prog));
  auto c = draw();
  poprand::setSeed(s.graph, seed, 5, s.prog);
  auto d = draw(), e = draw(), f = draw();
  poprand::setSeed(s.graph, seed, 6, s.prog);
  auto g = draw();
  s.run();
  EXPECT_NE(s.values(a), s.values(b));
  EXPECT_EQ(s.values(a), s.values(d));
  EXPECT_EQ(s.values(b), s.values(e));
  EXPECT_EQ(s.values(c), s.values(f)); // a seeded draw in between leaves the generator alone
  EXPECT_NE(s.values(a), s.values(g));
  EXPECT_NE(s.values(a), s.values(seeded));
}

TEST_F(RandomTest, OutputsLieWhereTheReferenceLies) {
  for (const Shape &shape : {Shape{0, 3}, Shape{1}, Shape{}, Shape{5, 3, 2}, Shape{65}}) {
    auto ref = reference(shape);
    auto y = poprand::uniform(s.graph, &seed, 0, ref, poplar::HALF, 0, 1, s.prog);
    EXPECT_EQ(y.shape(), shape);
    EXPECT_EQ(y.elementType(), poplar::HALF);
    EXPECT_EQ(s.graph.getTileMapping(y), s.graph.getTileMapping(ref));
    s.output(y);
  }
  auto wide = reference({8, 6});
  for (const Tensor &view :
       {wide.slice(1, 4, 1), wide.reverse(1), wide[0].expand({0}).broadcast(5, 0)}) {
    auto y = poprand::normal(s.graph, &seed, 0, view, poplar::FLOAT, 0, 1, s.prog);
    EXPECT_EQ(y.shape(), view.shape());
    EXPECT_FALSE(y.containsAliases());
    s.output(y);
  }
  s.run();
}

TEST_F(RandomTest, BadArgumentsAreRefused) {
  auto ref = reference({4});
  auto words =
      s.graph.addVariable(poplar::UNSIGNED_INT, {3}, poplar::VariableMappingMethod::LINEAR);
  auto floats = s.graph.addVariable(poplar::FLOAT, {2}, poplar::VariableMappingMethod::LINEAR);
  const auto refused = [](const std::function<void()> &f) {
    EXPECT_THROW(f(), poputil::poplibs_error);
  };
  const auto uniform = [&](const Tensor *with, poplar::Type type, double low, double high) {
    return [=, this] { poprand::uniform(s.graph, with, 0, ref, type, low, high, s.prog); };
  };
  refused(uniform(&words, poplar::FLOAT, 0, 1));
  refused(uniform(&floats, poplar::FLOAT, 0, 1));
  refused(uniform(&seed, poplar::FLOAT, 1, 0));
  refused(uniform(&seed, poplar::FLOAT, 0, NAN));
  refused(uniform(&seed, poplar::FLOAT, 0, 1e39));
  refused(uniform(&seed, poplar::HALF, 0, 1e5));
  refused(uniform(&seed, poplar::HALF, 0.10001, 0.10002)); // no half in between
  refused(uniform(&seed, poplar::INT, 0, 0.5));
  refused(uniform(&seed, poplar::INT, 0, 3e9));
  refused(uniform(&seed, poplar::BOOL, 0, 1));
  refused([&] { poprand::logUniform(s.graph, &seed, 0, ref, poplar::FLOAT, 0.5, 2, s.prog); });
  refused([&] { poprand::logUniform(s.graph, &seed, 0, ref, poplar::FLOAT, 2, 2, s.prog); });
  refused([&] { poprand::logUniform(s.graph, &seed, 0, ref, poplar::INT, 1.5, 2, s.prog); });
  refused([&] { poprand::logUniform(s.graph, &seed, 0, ref, poplar::FLOAT, 1, 2, s.prog, 1); });
  refused([&] { poprand::bernoulli(s.graph, &seed, 0, ref, poplar::FLOAT, 1.5, s.prog); });
  refused([&] { poprand::bernoulli(s.graph, &seed, 0, ref, poplar::FLOAT, -0.1, s.prog); });
  refused([&] { poprand::normal(s.graph, &seed, 0, ref, poplar::INT, 0, 1, s.prog); });
  refused([&] { poprand::normal(s.graph, &seed, 0, ref, poplar::FLOAT, 0, -1, s.prog); });
  refused(
      [&] { poprand::truncatedNormal(s.graph, &seed, 0, ref, poplar::FLOAT, 0, 1, 0, s.prog); });
  refused([&] { poprand::setSeed(s.graph, words, 0, s.prog); });
  EXPECT_TRUE(s.prog.isEmpty());
}
