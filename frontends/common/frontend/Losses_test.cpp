// SPDX-License-Identifier: MIT
#include "frontend/Losses.hpp"

#include "frontend/TestWriting.hpp"
#include <cmath>

using namespace frontend;

TEST(FrontendLosses, AreReducedOverAllElements) {
  TestWriting w;
  const Value x = w.counting({2, 3});
  EXPECT_EQ(reduced(w, x, reductionNamed(w, "none")), x);
  EXPECT_EQ(w.error([&] { reductionNamed(w, "max"); }),
            "reduction \"max\" is not one of none, mean, sum.");
  EXPECT_EQ(
      w.run({reduced(w, x, reductionNamed(w, "mean")), reduced(w, x, reductionNamed(w, "sum"))}),
      (std::vector<Doubles>{{3.5}, {21}}));
}

TEST(FrontendLosses, OfDifferencesAreTheirFormulas) {
  TestWriting w;
  const Value d = w.given({4}, {-3, -1, 0.5, 2});
  EXPECT_EQ(w.run({huber(w, d, 2), smoothL1(w, d, 2), smoothL1(w, d, 0)}),
            (std::vector<Doubles>{{4, 0.5, 0.125, 2}, {2, 0.25, 0.0625, 1}, {3, 1, 0.5, 2}}));
}

// With their slopes: sigmoid(x) - t, also at 0.
TEST(FrontendLosses, OfScoresAreTheirFormulas) {
  TestWriting w;
  const Doubles ds{-3, 0, 0.5, 0}, ts{0, 1, 0.25, 0};
  const Value d = w.given({4}, ds), t = w.given({4}, ts);
  const Value y = sigmoidCrossEntropy(w, d, t);
  const Value weighed = sigmoidCrossEntropy(w, d, t, w.m.scalar(3, d));
  const auto got = w.run({y, weighed, w.model.gradients({y}, {d})[0]});
  for (std::size_t i = 0; i < 4; ++i) {
    const double p = 1 / (1 + std::exp(-ds[i]));
    EXPECT_NEAR(got[0][i], -ts[i] * std::log(p) - (1 - ts[i]) * std::log(1 - p), 1e-5);
    EXPECT_NEAR(got[1][i], -3 * ts[i] * std::log(p) - (1 - ts[i]) * std::log(1 - p), 1e-5);
    EXPECT_NEAR(got[2][i], p - ts[i], 1e-5);
  }
}

// No logarithm is below -100, and no slope infinite.
TEST(FrontendLosses, OfProbabilitiesAreBounded) {
  TestWriting w;
  const Value p = w.given({4}, {0, 1, 0.5, 0}), t = w.given({4}, {0, 1, 0.25, 1});
  const Value y = binaryCrossEntropy(w, p, t, true);
  const auto got = w.run({y, binaryCrossEntropy(w, p, t, false), w.model.gradients({y}, {p})[0]});
  for (std::size_t form = 0; form < 2; ++form) {
    EXPECT_EQ(got[form][0], 0);
    EXPECT_EQ(got[form][1], 0);
    EXPECT_NEAR(got[form][2], std::log(2.0), 1e-5);
    EXPECT_EQ(got[form][3], 100);
  }
  EXPECT_EQ(got[2][0], 0);
  EXPECT_EQ(got[2][1], 0);
  EXPECT_NEAR(got[2][2], 1, 1e-5);
  EXPECT_NEAR(got[2][3] / -1e12, 1, 1e-5);
}

TEST(FrontendLosses, CrossEntropyIsOfScoresAlongAnAxis) {
  TestWriting w;
  softmaxCrossEntropy(w, w.input("x", {2, 3}), w.input("t", {2, 3}), 1);
  EXPECT_EQ(w.text(), R"(model:
  LogSoftmax:0 = LogSoftmax(x, axis=1)  FLOAT [2,3]
  Mul:0 = Mul(t, LogSoftmax:0)  FLOAT [2,3]
  ReduceSum:0 = ReduceSum(Mul:0, axes=[1], keepdims=0)  FLOAT [2]
  Neg:0 = Neg(ReduceSum:0)  FLOAT [2]
)");
}
