// SPDX-License-Identifier: MIT
// Stochastic rounding of results: between the two neighbours, right on average, the same for the
// same seed on any number of threads, and only while it is switched on.
#include "poplin/Convolution.hpp"
#include "poplin/MatMul.hpp"
#include "popops/Cast.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/ScaledAdd.hpp"
#include "Session.hpp"
#include <base/Threads.hpp>
#include <numeric>
#include <poplar/CSRFunctions.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/RandomSeed.hpp>
#include <set>

using namespace poplar;

namespace {

constexpr std::size_t n = 4096;
constexpr double third = 1.0 / 3;

// Operators that give the half between 1 and the next, a third of the way up.
const double step = 1.0 / 1024, exact = 1 + step * third;

struct Result {
  const char *name;
  std::size_t output;
};

std::vector<Result> addOperators(Session &s) {
  auto &g = s.graph;
  auto filled = [&](const Type &type, const Shape &shape, double value) {
    return s.input(type, shape, Doubles(count(shape), value));
  };
  std::vector<Result> results;
  results.push_back({"cast", s.output(popops::cast(g, filled(FLOAT, {n}, exact), HALF, s.prog))});
  // 1.5 / 1 as halves: the quotient of 1025 and 1024.67 does not fit; a third of a step does.
  auto sum = popops::add(g, filled(HALF, {n}, 1), filled(HALF, {n}, step * 0.333251953125), s.prog);
  results.push_back({"add", s.output(sum)});
  auto a = filled(HALF, {n}, 1);
  popops::scaledAddTo(g, a, filled(HALF, {n}, 1), float(step * third), s.prog);
  results.push_back({"scaledAdd", s.output(a)});
  auto x = filled(HALF, {64, 2}, 1), w = s.input(HALF, {2, 64}, [] {
    Doubles values(128, 1);
    std::fill(values.begin() + 64, values.end(), step * 0.333251953125);
    return values;
  }());
  results.push_back({"matMul", s.output(poplin::matMul(g, x, w, s.prog, HALF))});
  poplin::ConvParams params(HALF, HALF, 1, {64, 64}, {1, 1}, 2, 1, 1);
  auto image = filled(HALF, {1, 2, 64, 64}, 1),
       kernel = s.input(HALF, {1, 1, 2, 1, 1}, {1, step * 0.333251953125});
  results.push_back(
      {"convolution", s.output(poplin::convolution(g, image, kernel, params, false, s.prog))});
  auto rows =
      popops::reduce(g,
                     s.input(HALF, {2, n},
                             [] {
                               Doubles values(2 * n, 1);
                               std::fill(values.begin() + n, values.end(), step * 0.333251953125);
                               return values;
                             }()),
                     HALF, {0}, {popops::Operation::ADD}, s.prog);
  results.push_back({"reduce", s.output(rows)});
  return results;
}

std::vector<Doubles> valuesOf(const Session &s, const std::vector<Result> &results) {
  std::vector<Doubles> out;
  for (const auto &r : results)
    out.push_back(s.values(r.output));
  return out;
}

// Of n draws with probability 1/3, five standard deviations either way.
void expectThird(const Doubles &values, double low, double high) {
  double ups = 0;
  for (double v : values) {
    ASSERT_TRUE(v == low || v == high) << v;
    ups += v == high;
  }
  const double count = double(values.size());
  EXPECT_NEAR(ups / count, third, 5 * std::sqrt(2.0 / 9 / count));
}

TEST(StochasticRounding, IsRightOnAverageForEveryOperator) {
  Session s;
  setStochasticRounding(s.graph, s.prog, true);
  const auto results = addOperators(s);
  s.run();
  for (const auto &r : results) {
    SCOPED_TRACE(r.name);
    expectThird(s.values(r.output), 1, 1 + step);
  }
}

TEST(StochasticRounding, FollowsTheSeedAndNotTheThreads) {
  auto run = [](const char *seed, unsigned threads) {
    base::setNumThreads(threads);
    Session s;
    const auto results = addOperators(s);
    s.run({{"prng.enableStochasticRounding", "true"}, {"prng.seed", seed}});
    return valuesOf(s, results);
  };
  const auto before = base::numThreads();
  const auto one = run("42", 1), four = run("42", 4), other = run("43", 1);
  base::setNumThreads(before);
  EXPECT_EQ(one, four);
  for (std::size_t i = 0; i < one.size(); ++i)
    EXPECT_NE(one[i], other[i]) << i;
}

TEST(StochasticRounding, GoesOnFromSeedsThatAreSetAgain) {
  Session s;
  setStochasticRounding(s.graph, s.prog, true);
  auto x = s.input(FLOAT, {n}, Doubles(n, exact));
  auto seeds = getHwSeeds(s.graph, s.prog, "seeds");
  auto first = s.output(popops::cast(s.graph, x, HALF, s.prog));
  auto second = s.output(popops::cast(s.graph, x, HALF, s.prog));
  setHwSeeds(s.graph, seeds, s.prog, "again");
  auto again = s.output(popops::cast(s.graph, x, HALF, s.prog));
  s.run();
  EXPECT_EQ(s.values(first), s.values(again));
  EXPECT_NE(s.values(first), s.values(second));
}

TEST(StochasticRounding, IsOffUntilAskedForAndWhenSwitchedOff) {
  Session s;
  const auto before = addOperators(s);
  setFloatingPointBehaviour(s.graph, s.prog, {false, false, false, true, false});
  setStochasticRounding(s.graph, s.prog, false);
  const auto after = addOperators(s);
  s.run();
  for (const auto &list : {before, after})
    for (const auto &r : list)
      EXPECT_EQ(s.values(r.output), Doubles(n, 1)) << r.name;
}

TEST(StochasticRounding, IsKeptFromTheMatrixUnitsByTheirOption) {
  Session s;
  setStochasticRounding(s.graph, s.prog, true);
  auto x = s.input(HALF, {64, 2}, Doubles(128, 1)), w = s.input(HALF, {2, 64}, [] {
    Doubles values(128, 1);
    std::fill(values.begin() + 64, values.end(), step * 0.333251953125);
    return values;
  }());
  auto y = poplin::matMul(s.graph, x, w, s.prog, HALF, {},
                          {{"disableSRForAMPVertices", "true"},
                           {"planConstraints", "{\"method\":{\"type\":\"AMP\"}}"}});
  EXPECT_EQ(s.run(y), Doubles(n, 1));
}

TEST(StochasticRounding, ReachesEightBitFloatsAndSmallHalves) {
  Session s;
  setStochasticRounding(s.graph, s.prog, true);
  auto metadata = createConstantMetadataTensor(s.graph, QuarterMetadata::Format::F143, 1);
  s.graph.setTileMapping(metadata, 0);
  const double at = 2 * (1 + third / 8);
  auto quarters = [&](const Type &from, double value) {
    auto q =
        popops::cast(s.graph, s.input(from, {n}, Doubles(n, value)), QUARTER, metadata, s.prog);
    return s.output(popops::cast(s.graph, q, FLOAT, s.prog));
  };
  auto fromFloat = quarters(FLOAT, at), fromHalf = quarters(HALF, at);
  const double tiny = std::ldexp(1.0, -24);
  auto small = s.output(
      popops::cast(s.graph, s.input(FLOAT, {n}, Doubles(n, tiny * (5 + third))), HALF, s.prog));
  auto exactly =
      s.output(popops::cast(s.graph, s.input(FLOAT, {n}, Doubles(n, -0.375)), HALF, s.prog));
  auto large =
      s.output(popops::cast(s.graph, s.input(FLOAT, {3}, {65519, -65530, 70000}), HALF, s.prog));
  s.run();
  expectThird(s.values(fromFloat), 2, 2.25);
  expectThird(s.values(fromHalf), 2, 2.25);
  expectThird(s.values(small), 5 * tiny, 6 * tiny);
  EXPECT_EQ(s.values(exactly), Doubles(n, -0.375));
  EXPECT_EQ(s.values(large), (Doubles{65504, -65504, INFINITY}));
}

} // namespace
