// SPDX-License-Identifier: MIT
#include "../norm/TestLayouts.hpp"
#include "base/Threads.hpp"
#include "popnn/LogSoftmax.hpp"
#include "popnn/NonLinearity.hpp"
#include "poputil/exceptions.hpp"

namespace {

using poplar::FLOAT;
using poplar::HALF;
using popnn::NonLinearityType;

// Rows of n elements.
Doubles softmax(const Doubles &x, std::size_t n, bool log, double scale) {
  Doubles out(x.size());
  for (std::size_t row = 0; row + n <= x.size() && n; row += n) {
    double max = x[row], sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      max = std::max(max, x[row + i]);
    for (std::size_t i = 0; i < n; ++i)
      sum += std::exp(x[row + i] - max);
    for (std::size_t i = 0; i < n; ++i)
      out[row + i] =
          log ? x[row + i] - max - std::log(sum) : scale * std::exp(x[row + i] - max) / sum;
  }
  return out;
}
Doubles gradient(const Doubles &y, const Doubles &g, std::size_t n) {
  Doubles out(y.size());
  for (std::size_t row = 0; row + n <= y.size(); row += n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum += y[row + i] * g[row + i];
    for (std::size_t i = 0; i < n; ++i)
      out[row + i] = y[row + i] * (g[row + i] - sum);
  }
  return out;
}

TEST(Softmax, AgreesWithPlainLoopsInAllLayoutsAndTypes) {
  Session s;
  struct Pending {
    poplar::Type type;
    std::size_t n;
    Doubles expected;
    double absolute;
    std::size_t output;
    std::string what;
  };
  std::vector<Pending> pending;
  for (auto type : {FLOAT, HALF})
    for (const Shape &shape : {Shape{1}, Shape{10}, Shape{16, 10}, Shape{3, 100}, Shape{7, 5, 33},
                               Shape{2, 5000}, Shape{300, 17}})
      for (unsigned layout = 0; layout < (shape.size() < 2 ? 1u : 3u); ++layout) {
        auto n = shape.back();
        auto x = Session::stored(type, s.random(count(shape), -4, 4));
        std::vector<unsigned> order(shape.size());
        for (unsigned d = 0; d < order.size(); ++d)
          order[d] = layout == 1 ? unsigned(order.size()) - 1 - d : d;
        auto make = [&](const Doubles &v) {
          return layout == 2 ? awkward(s, type, shape, v) : inOrder(s, type, shape, order, v);
        };
        auto t = make(x);
        double tiny = type == HALF ? 1e-3 : 3e-7;
        auto add = [&](const poplar::Tensor &y, const Doubles &expected, double scale,
                       const char *what) {
          pending.push_back({type, n, expected, tiny * scale, s.output(y),
                             describe(type, shape, layout) + " " + what});
        };
        add(popnn::softmax(s.graph, t, s.prog), softmax(x, n, false, 1), 1, "plain");
        add(popnn::softmaxStable(s.graph, t, s.prog), softmax(x, n, false, 1), 1, "stable");
        float scaling = 0;
        add(popnn::scaledSoftmaxStable(s.graph, t, scaling, s.prog), softmax(x, n, false, 62000),
            62000, "scaled");
        EXPECT_EQ(scaling, 62000.0f);
        add(popnn::logSoftmax(s.graph, t, s.prog), softmax(x, n, true, 1), 10, "log");
        auto g = Session::stored(type, s.random(count(shape)));
        auto y = Session::stored(type, softmax(x, n, false, 1));
        add(popnn::nonLinearityInputGradient(s.graph, NonLinearityType::SOFTMAX, make(y), make(g),
                                             s.prog),
            gradient(y, g, n), 1, "gradient");
        auto inPlace = make(x), logInPlace = make(x);
        popnn::softmaxStableInPlace(s.graph, inPlace, s.prog);
        popnn::logSoftmaxInPlace(s.graph, logInPlace, s.prog);
        add(inPlace, softmax(x, n, false, 1), 1, "in place");
        add(logInPlace, softmax(x, n, true, 1), 10, "log in place");
      }
  s.run();
  for (const auto &p : pending) {
    SCOPED_TRACE(p.what);
    expectClose(s.values(p.output), p.expected, p.type == HALF ? 2e-3 : 5e-6, p.absolute);
  }
}

TEST(Softmax, LargeValuesOverflowOnlyWithoutTheMaximum) {
  Session s;
  Doubles x = {1000, 1001, 999, -1000};
  auto t = s.input(FLOAT, {1, 4}, x);
  auto stable = s.output(popnn::softmaxStable(s.graph, t, s.prog));
  auto plain = s.output(popnn::softmax(s.graph, t, s.prog));
  auto log = s.output(popnn::logSoftmax(s.graph, t, s.prog));
  s.run();
  expectClose(s.values(stable), softmax(x, 4, false, 1), 1e-5, 1e-30);
  expectClose(s.values(log), softmax(x, 4, true, 1), 1e-6, 1e-4);
  EXPECT_TRUE(std::isnan(s.values(plain)[0]));
}

// Exponentials of everything from 0 down to where they are no normal numbers; masked elements are
// exactly zero.
TEST(Softmax, SmallTermsAreExactToTheLastBits) {
  Session s;
  constexpr std::size_t n = 4001;
  Doubles x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = -double(i) * 0.025; // 0 ... -100
  x[1] = -INFINITY;
  x[2] = -10000;
  x = Session::stored(FLOAT, x);
  auto y = s.run(popnn::nonLinearity(s.graph, NonLinearityType::SOFTMAX_STABLE,
                                     s.input(FLOAT, {1, n}, x), s.prog));
  auto expected = softmax(x, n, false, 1);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 0);
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_NEAR(y[i], expected[i], 4e-7 * expected[i] + 1.2e-38) << x[i];
}

TEST(Softmax, EmptyTensorsStayEmpty) {
  Session s;
  auto t = s.graph.addVariable(FLOAT, {0, 5}, poplar::VariableMappingMethod::LINEAR, "empty");
  EXPECT_EQ(popnn::softmax(s.graph, t, s.prog).shape(), (Shape{0, 5}));
  s.run();
}

TEST(Softmax, DoesNotDependOnTheNumberOfThreads) {
  auto once = [](unsigned threads) {
    base::setNumThreads(threads);
    Session s;
    auto t = s.input(FLOAT, {400, 70}, s.random(28000, -3, 3));
    return s.run(popnn::softmaxStable(s.graph, t, s.prog));
  };
  auto one = once(1), four = once(4);
  base::setNumThreads(2);
  EXPECT_EQ(one, four);
}

} // namespace
