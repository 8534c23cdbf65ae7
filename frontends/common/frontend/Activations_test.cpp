// SPDX-License-Identifier: MIT
#include "frontend/Activations.hpp"

#include "frontend/TestWriting.hpp"
#include <cmath>
#include <functional>

using namespace frontend;

namespace {

const Doubles points{-7, -3, -1, -0.5, 0, 0.25, 0.5, 1, 3, 6, 7};

struct Formula {
  std::function<Value(const Writing &, Value)> written;
  std::function<double(double)> meant;
};

void expectAll(const std::vector<Formula> &formulas) {
  TestWriting w;
  const Value x = w.given({std::int64_t(points.size())}, points);
  Values made;
  for (const auto &f : formulas)
    made.push_back(f.written(w, x));
  const auto got = w.run(made);
  for (std::size_t f = 0; f < formulas.size(); ++f)
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_NEAR(got[f][i], formulas[f].meant(points[i]), 2e-5 * (1 + std::abs(points[i])))
          << "formula " << f << " of " << points[i];
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

} // namespace

TEST(FrontendActivations, AreTheirFormulas) {
  expectAll(
      {{[](auto &w, Value x) { return relu6(w, x); },
        [](double x) { return std::min(std::max(x, 0.0), 6.0); }},
       {[](auto &w, Value x) { return leakyRelu(w, x, 0.1); },
        [](double x) { return x > 0 ? x : 0.1 * x; }},
       {[](auto &w, Value x) { return withSlope(w, x, w.m.scalar(0.2, x)); },
        [](double x) { return x > 0 ? x : 0.2 * x; }},
       {[](auto &w, Value x) { return elu(w, x, 1.5); },
        [](double x) { return x > 0 ? x : 1.5 * std::expm1(x); }},
       {[](auto &w, Value x) { return selu(w, x, 1.5, 2); },
        [](double x) { return 2 * (x > 0 ? x : 1.5 * std::expm1(x)); }},
       {[](auto &w, Value x) { return hardShrink(w, x, 0.5); },
        [](double x) { return std::abs(x) <= 0.5 ? 0 : x; }},
       {[](auto &w, Value x) { return softShrink(w, x, 0.5); },
        [](double x) { return std::abs(x) <= 0.5 ? 0 : x - std::copysign(0.5, x); }},
       {[](auto &w, Value x) { return hardSigmoid(w, x, 0.2, 0.5); },
        [](double x) { return std::min(std::max(0.2 * x + 0.5, 0.0), 1.0); }},
       {[](auto &w, Value x) { return logSigmoid(w, x); },
        [](double x) { return std::log(sigmoid(x)); }},
       {[](auto &w, Value x) { return softplus(w, x, 2, 20); },
        [](double x) { return std::log1p(std::exp(2 * x)) / 2; }},
       {[](auto &w, Value x) { return softplus(w, x, 1, 0.5); },
        [](double x) { return x > 0.5 ? x : std::log1p(std::exp(x)); }},
       {[](auto &w, Value x) { return swish(w, x); }, [](double x) { return x * sigmoid(x); }},
       {[](auto &w, Value x) { return swish(w, x, 0.5); },
        [](double x) { return x * sigmoid(0.5 * x); }},
       {[](auto &w, Value x) { return mish(w, x); },
        [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
       {[](auto &w, Value x) { return gelu(w, x, false); },
        [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }}});
}

TEST(FrontendActivations, AreOneOperatorWhereThereIsOne) {
  TestWriting w;
  const Value x = w.input("x", {4});
  relu6(w, x);
  relu6(w, w.input("n", {4}, DataType::INT32));
  swish(w, x);
  mish(w, w.input("h", {4}, DataType::FLOAT16));
  EXPECT_EQ(w.text(), R"(model:
  HardTanh:0 = HardTanh(x, max=6, min=0)  FLOAT [4]
  Clip:0 = Clip(n, constant, constant/1)  INT32 [4]
  Swish:0 = Swish(x)  FLOAT [4]
  Cast:0 = Cast(h, to=FLOAT)  FLOAT [4]
  Softplus:0 = Softplus(Cast:0)  FLOAT [4]
  Tanh:0 = Tanh(Softplus:0)  FLOAT [4]
  Mul:0 = Mul(Cast:0, Tanh:0)  FLOAT [4]
  Cast:0/1 = Cast(Mul:0, to=FLOAT16)  FLOAT16 [4]
)");
}

// Where a derivative jumps: nothing at the bounds of relu6, and below zero already at zero.
TEST(FrontendActivations, HaveOneDerivativeEach) {
  TestWriting w;
  const Value x = w.given({5}, {-1, 0, 3, 6, 7});
  const auto slope = [&](Value y) { return w.model.gradients({y}, {x})[0]; };
  EXPECT_EQ(w.run({slope(relu6(w, x)), slope(leakyRelu(w, x, 0.5)),
                   slope(withSlope(w, x, w.m.scalar(0.5, x))), slope(hardShrink(w, x, 3))}),
            (std::vector<Doubles>{
                {0, 0, 1, 0, 0}, {0.5, 0.5, 1, 1, 1}, {0.5, 0.5, 1, 1, 1}, {0, 0, 0, 1, 1}}));
}
