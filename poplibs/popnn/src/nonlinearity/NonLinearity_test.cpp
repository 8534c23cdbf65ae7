// SPDX-License-Identifier: MIT
#include "../norm/TestLayouts.hpp"
#include "NonLinearityCost.hpp"
#include "popnn/NonLinearity.hpp"
#include "popnn/NonLinearityDefUtil.hpp"
#include "poputil/exceptions.hpp"
#include <sstream>

namespace {

using poplar::FLOAT;
using poplar::HALF;
using popnn::NonLinearityType;

const std::vector<NonLinearityType> elementWise = {
    NonLinearityType::SIGMOID, NonLinearityType::HARD_SIGMOID, NonLinearityType::RELU,
    NonLinearityType::TANH,    NonLinearityType::GELU,         NonLinearityType::GELU_ERF,
    NonLinearityType::SWISH};

double value(NonLinearityType type, double x) {
  switch (type) {
  case NonLinearityType::SIGMOID:
    return 1 / (1 + std::exp(-x));
  case NonLinearityType::HARD_SIGMOID:
    return std::min(1.0, std::max(0.0, 0.2 * x + 0.5));
  case NonLinearityType::RELU:
    return std::max(0.0, x);
  case NonLinearityType::TANH:
    return std::tanh(x);
  case NonLinearityType::GELU:
    return x * 0.5 * (1 + std::tanh(0.7978845608 * x * (1 + 0.044715 * x * x)));
  case NonLinearityType::GELU_ERF:
    return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
  default:
    return x / (1 + std::exp(-x));
  }
}
bool gradientTakesInput(NonLinearityType type) {
  return type == NonLinearityType::GELU || type == NonLinearityType::GELU_ERF ||
         type == NonLinearityType::SWISH;
}
Doubles mapped(NonLinearityType type, const Doubles &x) {
  Doubles out;
  for (double v : x)
    out.push_back(value(type, v));
  return out;
}

TEST(NonLinearity, AgreesWithTheFormulaForTypesSizesAndViews) {
  Session s;
  struct Pending {
    NonLinearityType function;
    poplar::Type type;
    Doubles x;
    std::size_t out, inPlace;
  };
  std::vector<Pending> pending;
  for (auto function : elementWise)
    for (auto type : {FLOAT, HALF})
      for (const Shape &shape :
           {Shape{}, Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 3, 33}, Shape{5000}})
        for (unsigned layout = 0; layout < (shape.size() < 2 ? 1u : 3u); ++layout) {
          auto x = Session::stored(type, s.random(count(shape), -5, 5));
          std::vector<unsigned> order(shape.size());
          for (unsigned d = 0; d < order.size(); ++d)
            order[d] = layout == 1 ? unsigned(order.size()) - 1 - d : d;
          auto make = [&] {
            return layout == 2 ? awkward(s, type, shape, x) : inOrder(s, type, shape, order, x);
          };
          auto t = make(), inPlace = make();
          auto y = popnn::nonLinearity(s.graph, function, t, s.prog);
          popnn::nonLinearityInPlace(s.graph, function, inPlace, s.prog);
          pending.push_back({function, type, x, s.output(y), s.output(inPlace)});
        }
  s.run();
  for (const auto &p : pending) {
    SCOPED_TRACE(std::string(popnn::asString(p.function)) + " " + p.type.toString());
    auto expected = mapped(p.function, p.x);
    double rel = p.type == HALF ? 1e-3 : 2e-6, abs = p.type == HALF ? 1e-4 : 1e-6;
    expectClose(s.values(p.out), expected, rel, abs);
    expectClose(s.values(p.inPlace), expected, rel, abs);
  }
}

TEST(NonLinearity, GradientsAgreeWithFiniteDifferences) {
  Session s;
  struct Pending {
    NonLinearityType function;
    Doubles x, g;
    std::size_t out;
  };
  std::vector<Pending> pending;
  for (auto function : elementWise)
    for (const Shape &shape : {Shape{1}, Shape{4, 19}, Shape{3000}}) {
      if (function == NonLinearityType::HARD_SIGMOID) // not the derivative of what it is given
        continue;
      auto x = Session::stored(FLOAT, s.random(count(shape), -3, 3)), g = s.random(count(shape));
      for (auto &v : x)
        if (std::abs(v) < 0.01 || std::abs(std::abs(v) - 2.5) < 0.01)
          v = 0.5; // away from corners
      auto act = Session::stored(FLOAT, gradientTakesInput(function) ? x : mapped(function, x));
      std::vector<unsigned> order(shape.size());
      for (unsigned d = 0; d < order.size(); ++d)
        order[d] = unsigned(order.size()) - 1 - d;
      auto a = s.input(FLOAT, shape, act), gradient = inOrder(s, FLOAT, shape, order, g);
      auto dx = popnn::nonLinearityInputGradient(s.graph, function, a, gradient, s.prog);
      pending.push_back({function, x, g, s.output(dx)});
    }
  s.run();
  for (const auto &p : pending) {
    SCOPED_TRACE(popnn::asString(p.function));
    Doubles expected;
    for (std::size_t i = 0; i < p.x.size(); ++i)
      expected.push_back(
          p.g[i] * (value(p.function, p.x[i] + 1e-6) - value(p.function, p.x[i] - 1e-6)) / 2e-6);
    expectClose(s.values(p.out), expected, 1e-4, 1e-5);
  }
}

TEST(NonLinearity, HardSigmoidGradientTakesTheActivationAsItIs) {
  Session s;
  for (auto type : {FLOAT, HALF}) {
    auto act = s.input(type, {7}, {-3, -2.5, -1, 0, 1, 2.5, 2.75}),
         g = s.input(type, {7}, Doubles(7, 10));
    auto dx =
        popnn::nonLinearityInputGradient(s.graph, NonLinearityType::HARD_SIGMOID, act, g, s.prog);
    s.output(dx);
  }
  s.run();
  for (std::size_t i : {0u, 1u})
    expectClose(s.values(i), {0, 2, 2, 2, 2, 2, 0}, 1e-3, 0);
}

TEST(NonLinearity, WorksInAComputeSetOfTheCaller) {
  Session s;
  auto x = s.random(100), g = s.random(100);
  auto t = s.input(FLOAT, {100}, x), gradient = s.input(FLOAT, {100}, g);
  auto cs = s.graph.addComputeSet("mine");
  auto dx = popnn::nonLinearityInputGradient(s.graph, NonLinearityType::RELU, t, gradient, cs);
  s.prog.add(poplar::program::Execute(cs));
  auto later = s.graph.addComputeSet("later");
  float scaling = 0;
  popnn::nonLinearityInPlace(s.graph, NonLinearityType::TANH, t, scaling, later);
  s.prog.add(poplar::program::Execute(later));
  EXPECT_EQ(scaling, 1.0f);
  auto a = s.output(t), b = s.output(dx);
  s.run();
  Doubles expected;
  for (std::size_t i = 0; i < 100; ++i)
    expected.push_back(x[i] > 0 ? g[i] : 0);
  expectClose(s.values(b), expected, 1e-6, 0);
  expectClose(s.values(a), mapped(NonLinearityType::TANH, x), 1e-5, 1e-6);
}

TEST(NonLinearity, InlineHelpersNameTheSameFunctions) {
  Session s;
  auto x = s.random(12, -2, 2);
  auto t = s.input(FLOAT, {3, 4}, x);
  float scaling = 0;
  std::vector<std::pair<NonLinearityType, std::size_t>> outputs = {
      {NonLinearityType::SIGMOID, s.output(popnn::sigmoid(s.graph, t, s.prog))},
      {NonLinearityType::RELU, s.output(popnn::relu(s.graph, t, s.prog, "relu"))},
      {NonLinearityType::TANH, s.output(popnn::tanh(s.graph, t, scaling, s.prog))},
      {NonLinearityType::GELU, s.output(popnn::gelu(s.graph, t, s.prog))},
      {NonLinearityType::GELU_ERF, s.output(popnn::geluErf(s.graph, t, s.prog))}};
  popnn::swishInPlace(s.graph, t, s.prog);
  outputs.push_back({NonLinearityType::SWISH, s.output(t)});
  EXPECT_EQ(scaling, 1.0f);
  s.run();
  for (const auto &[type, output] : outputs)
    expectClose(s.values(output), mapped(type, x), 1e-5, 1e-6);
}

TEST(NonLinearity, RefusesWhatDoesNotFit) {
  Session s;
  auto whole = s.input(poplar::INT, {3}, Doubles(3)), t = s.input(FLOAT, {1, 3}, Doubles(3));
  auto cs = s.graph.addComputeSet("cs");
  EXPECT_THROW(popnn::relu(s.graph, whole, s.prog), poputil::poplibs_error);
  EXPECT_THROW(popnn::reluInPlace(s.graph, t.broadcast(2, 0), s.prog), poputil::poplibs_error);
  EXPECT_THROW(popnn::nonLinearityInPlace(s.graph, NonLinearityType::SOFTMAX, t, cs),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::softmax(s.graph, t[0][0], s.prog), poputil::poplibs_error);
  try {
    popnn::nonLinearityInputGradient(s.graph, NonLinearityType::RELU, t, t.transpose(), s.prog);
    FAIL() << "shapes differ";
  } catch (const poputil::poplibs_error &e) {
    EXPECT_STREQ(e.what(), "popnn::nonLinearityInputGradient(RELU): activations float[1,3] and "
                           "gradients float[3,1] must have one shape and type");
  }
}

TEST(NonLinearity, NamesGoThroughStreams) {
  for (unsigned i = 0; i < 10; ++i) {
    std::stringstream text;
    NonLinearityType back;
    text << NonLinearityType(i);
    text >> back;
    EXPECT_EQ(unsigned(back), i);
  }
  NonLinearityType type;
  std::stringstream lower("softmax-stable"), wrong("SIGMOYD");
  lower >> type;
  EXPECT_EQ(type, NonLinearityType::SOFTMAX_STABLE);
  EXPECT_THROW(wrong >> type, poputil::poplibs_error);
  EXPECT_EQ(poputil::templateVertex("popnn::NonLinearity1D", FLOAT, NonLinearityType::GELU),
            "popnn::NonLinearity1D<float,popnn::NonLinearityType::GELU>");
}

TEST(NonLinearity, VertexCyclesFollowTheFormula) {
  const auto &chip = arch::chipByName("ipu2");
  // 600 floats: 300 vectors, 50 a worker: 9 + 6 (20 + 2 + 10 + 49 * 10 + 1 + 10)
  EXPECT_EQ(popnn::nonLinearityCycles(chip, NonLinearityType::GELU, FLOAT, 600, false, 1),
            9u + 6 * (20 + 2 + 10 + 49 * 10 + 1 + 10));
  // 600 halves backwards: 150 vectors, 25 a worker: 9 + 6 (20 + 4 + 24 * 9 + 1)
  EXPECT_EQ(popnn::nonLinearityGradientCycles(chip, NonLinearityType::SWISH, HALF, 600, 1),
            9u + 6 * (20 + 4 + 24 * 9 + 1));
}

} // namespace
