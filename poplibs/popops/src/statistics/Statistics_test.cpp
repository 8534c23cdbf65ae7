// SPDX-License-Identifier: MIT
#include "popops/AllTrue.hpp"
#include "popops/CumulativeSum.hpp"
#include "popops/GatherStatistics.hpp"
#include "popops/NaN.hpp"
#include "Session.hpp"
#include <limits>
#include <poputil/exceptions.hpp>

using namespace poplar;

namespace {

TEST(AllTrue, IsTrueOnlyIfEveryElementIs) {
  Session s;
  Doubles ones(1000, 1), almost(1000, 1);
  almost[777] = 0;
  auto a = s.input(BOOL, {10, 100}, ones), b = s.input(BOOL, {10, 100}, almost);
  auto none = s.graph.addVariable(BOOL, {0}, VariableMappingMethod::LINEAR);
  auto outs = {popops::allTrue(s.graph, a, s.prog), popops::allTrue(s.graph, b, s.prog),
               popops::allTrue(s.graph, b.transpose().slice(0, 50), s.prog),
               popops::allTrue(s.graph, none, s.prog)};
  std::vector<std::size_t> read;
  for (const auto &t : outs) {
    EXPECT_EQ(t.rank(), 0u);
    read.push_back(s.output(t));
  }
  s.run();
  EXPECT_EQ(s.values(read[0])[0], 1);
  EXPECT_EQ(s.values(read[1])[0], 0);
  EXPECT_EQ(s.values(read[2])[0], 1); // column 77 is not among these
  EXPECT_EQ(s.values(read[3])[0], 1);
  auto f = s.graph.addVariable(FLOAT, {3}, VariableMappingMethod::LINEAR);
  EXPECT_THROW(popops::allTrue(s.graph, f, s.prog), poputil::poplibs_error);
}

TEST(NaN, IsFoundWhereverItIs) {
  Session s;
  std::vector<std::size_t> nan, inf;
  std::vector<double> expectNan, expectInf;
  for (auto type : {FLOAT, HALF})
    for (std::size_t n : {1, 7, 64, 5000})
      for (int what = 0; what < 3; ++what) {
        auto values = s.random(n);
        if (what)
          values[n * 2 / 3] = what == 1 ? NAN : -INFINITY;
        auto t = s.input(type, {n}, values);
        nan.push_back(s.output(popops::hasNaN(s.graph, t, s.prog)));
        inf.push_back(s.output(popops::hasNaNOrInf(s.graph, t.reverse(0), s.prog)));
        expectNan.push_back(what == 1);
        expectInf.push_back(what != 0);
      }
  s.run();
  for (std::size_t i = 0; i < nan.size(); ++i) {
    EXPECT_EQ(s.values(nan[i])[0], expectNan[i]) << i;
    EXPECT_EQ(s.values(inf[i])[0], expectInf[i]) << i;
  }
  auto t = s.graph.addVariable(INT, {3}, VariableMappingMethod::LINEAR);
  EXPECT_THROW(popops::hasNaN(s.graph, t, s.prog), poputil::poplibs_error);
}

Doubles counts(const Doubles &values, const Doubles &levels, bool absolute) {
  Doubles out(levels.size() + 1, 0);
  for (double v : values) {
    double x = absolute ? std::abs(v) : v;
    std::size_t bin = 0;
    while (bin < levels.size() && !(x < levels[bin]))
      ++bin;
    ++out[bin];
  }
  return out;
}

TEST(Histogram, CountsElementsBetweenLevels) {
  Session s;
  std::vector<std::pair<std::size_t, Doubles>> cases;
  for (auto type : {FLOAT, HALF})
    for (std::size_t levelCount : {1, 5, 100})
      for (bool absolute : {false, true}) {
        auto values = s.stored(type, s.random(6000, -2, 2));
        Doubles levels;
        for (std::size_t i = 0; i < levelCount; ++i)
          levels.push_back(-1.5 + 3.0 * double(i) / double(levelCount));
        levels = s.stored(type, levels);
        auto t = s.input(type, {60, 100}, values), l = s.input(type, {levelCount}, levels);
        auto h = popops::histogram(s.graph, t.transpose().slice(3, 90), l, absolute, s.prog);
        EXPECT_EQ(h.elementType(), UNSIGNED_INT);
        Doubles seen;
        for (std::size_t i = 0; i < values.size(); ++i)
          if (i % 100 >= 3 && i % 100 < 90)
            seen.push_back(values[i]);
        cases.push_back({s.output(h), counts(seen, levels, absolute)});
      }
  auto levels = s.input(FLOAT, {2}, {0.25, 0.5});
  auto t = s.input(FLOAT, {4}, {0.25, 0.1, 0.5, 9});
  auto sums = s.input(UNSIGNED_INT, {3}, {10, 20, 30});
  popops::histogram(s.graph, t, sums, true, levels, false, s.prog);
  cases.push_back({s.output(sums), {11, 21, 32}});
  auto floatSums = s.input(FLOAT, {3}, {0.5, 20, 30});
  popops::histogram(s.graph, t, floatSums, true, levels, false, s.prog);
  cases.push_back({s.output(floatSums), {1.5, 21, 32}});
  auto floats =
      popops::histogram(s.graph, t, levels, false, s.prog, {}, {{"useFloatArithmetic", "true"}});
  EXPECT_EQ(floats.elementType(), FLOAT);
  cases.push_back({s.output(floats), {1, 1, 2}});
  s.run();
  for (const auto &[output, expected] : cases)
    EXPECT_EQ(s.values(output), expected);
  EXPECT_THROW(popops::histogram(s.graph, t, levels, false, s.prog, {},
                                 {{"useFloatArithmetic", "true"},
                                  {"useFloatArithmeticWithUnsignedIntOutput", "true"}}),
               invalid_option);
  EXPECT_THROW(popops::histogram(s.graph, sums, levels, false, s.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::histogram(s.graph, t, sums, false, levels.slice(0, 1), false, s.prog),
               poputil::poplibs_error);
}

TEST(CumulativeSum, RunsAlongAnyDimension) {
  Session s;
  const Shape shape{4, 5, 6};
  std::vector<std::pair<std::size_t, Doubles>> cases;
  for (auto type : {FLOAT, HALF, INT})
    for (unsigned dim = 0; dim < 3; ++dim) {
      auto values = s.integers(120, -5, 5);
      auto t = s.input(type, shape, values);
      cases.push_back({s.output(popops::cumulativeSum(s.graph, t, dim, s.prog)), values});
      auto &expected = cases.back().second;
      std::size_t stride = dim == 0 ? 30 : dim == 1 ? 6 : 1;
      for (std::size_t i = 0; i < 120; ++i)
        if (i / stride % shape[dim] > 0)
          expected[i] += expected[i - stride];
    }
  s.run();
  for (const auto &[output, expected] : cases)
    EXPECT_EQ(s.values(output), expected);
  auto t = s.graph.addVariable(FLOAT, {3}, VariableMappingMethod::LINEAR);
  EXPECT_THROW(popops::cumulativeSum(s.graph, t, 1, s.prog), poputil::poplibs_error);
}

} // namespace
