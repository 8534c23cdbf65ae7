// SPDX-License-Identifier: MIT
#include "frontend/Reductions.hpp"

#include "frontend/TestWriting.hpp"
#include <cmath>
#include <limits>

using namespace frontend;

constexpr double inf = std::numeric_limits<double>::infinity();

TEST(FrontendReductions, AxesArePositiveSortedAndEachOnce) {
  TestWriting w;
  EXPECT_EQ(axesOf(w, {-1, 0, 2}, 3), (Integers{0, 2}));
  EXPECT_EQ(axesOf(w, {0}, 0), Integers());
  EXPECT_EQ(allAxes(3), (Integers{0, 1, 2}));
  EXPECT_EQ(w.error([&] { axesOf(w, {3}, 3); }),
            "its axis 3 is not one of a tensor with 3 dimensions.");
}

TEST(FrontendReductions, NormsAreOneReductionWhereThereIsOne) {
  TestWriting w;
  const Value x = w.input("x", {2, 3});
  norm(w, x, 2, {1}, true);
  norm(w, x, 1, {0}, false);
  norm(w, x, inf, {1}, false, Ties::Whole);
  EXPECT_EQ(w.text(), R"(model:
  ReduceL2:0 = ReduceL2(x, axes=[1], keepdims=1)  FLOAT [2,1]
  Abs:0 = Abs(x)  FLOAT [2,3]
  ReduceSum:0 = ReduceSum(Abs:0, axes=[0], keepdims=0)  FLOAT [3]
  Abs:0/1 = Abs(x)  FLOAT [2,3]
  ReduceMax:0 = ReduceMax(Abs:0/1, axes=[1], keepdims=0, whole_to_ties=1)  FLOAT [2]
)");
}

TEST(FrontendReductions, NormsAndTheirGradientsAreThoseOfTheFormula) {
  const Doubles row{3, -4, 0, 2};
  for (const double p : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    TestWriting w;
    const Value x = w.given({2, 4}, {3, -4, 0, 2, 0, 0, 0, 0});
    const Value y = norm(w, x, p, {1}, false);
    const auto got = w.run({y, w.model.gradients({y}, {x})[0]});
    double sum = 0;
    for (double v : row)
      sum += std::pow(std::abs(v), p);
    const double expected = std::pow(sum, 1 / p);
    EXPECT_NEAR(got[0][0], expected, 1e-4) << p;
    EXPECT_EQ(got[0][1], 0) << p;
    for (std::size_t i = 0; i < 4; ++i) {
      const double slope =
          row[i] == 0 ? 0 : std::copysign(std::pow(std::abs(row[i]) / expected, p - 1), row[i]);
      EXPECT_NEAR(got[1][i], slope, 1e-4) << p;
      EXPECT_EQ(got[1][i + 4], 0) << p; // a row of zeros has no direction
    }
  }
}

TEST(FrontendReductions, NormsHaveLimits) {
  TestWriting w;
  const Value x = w.given({1, 4}, {3, -4, 0, 2});
  EXPECT_EQ(w.run({norm(w, x, 0, {1}, false), norm(w, x, inf, {1}, false),
                   norm(w, x, -inf, {1}, false), norm(w, x, -1, {1}, false)}),
            (std::vector<Doubles>{{3}, {4}, {0}, {0}})); // a zero among them
}
