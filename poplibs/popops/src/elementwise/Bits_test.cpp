// SPDX-License-Identifier: MIT
// How near results of functions are to exact ones (docs/bits.md): for every half, and for floats of
// every size. Steps: how many numbers of its type lie between a result and the nearest number.
#include "popops/Cast.hpp"
#include "popops/ElementWise.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <random>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;
using Op = pe::UnaryOpType;

namespace {

struct Function {
  Op op;
  const char *name;
  double (*exact)(double);
  int halves; // how many of all halves are one step off
  int steps;  // of the worst float
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

const Function functions[] = {
    {Op::SQRT, "sqrt", std::sqrt, 0, 0},
    {Op::INVERSE, "inverse", [](double x) { return 1 / x; }, 0, 0},
    {Op::SQUARE, "square", [](double x) { return x * x; }, 0, 0},
    {Op::RSQRT, "rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0, 1},
    {Op::CBRT, "cbrt", std::cbrt, 20, 1},
    {Op::EXPONENT, "exp", std::exp, 20, 1},
    {Op::EXPONENT2, "exp2", std::exp2, 20, 1},
    {Op::EXPONENT_MINUS_ONE, "expm1", std::expm1, 20, 1},
    {Op::LOGARITHM, "log", std::log, 20, 1},
    {Op::LOGARITHM_ONE_PLUS, "log1p", std::log1p, 20, 1},
    {Op::SIN, "sin", std::sin, 20, 1},
    {Op::COS, "cos", std::cos, 20, 1},
    {Op::TAN, "tan", std::tan, 20, 1},
    {Op::ASIN, "asin", std::asin, 20, 1},
    {Op::TANH, "tanh", std::tanh, 20, 2},
    {Op::SIGMOID, "sigmoid", sigmoid, 20, 2},
    {Op::ERF, "erf", std::erf, 20, 1},
};

// The place of a number among all numbers of its type.
template <typename Bits> std::int64_t place(Bits bits) {
  const Bits sign = Bits(1) << (sizeof bits * 8 - 1);
  return bits & sign ? -std::int64_t(bits ^ sign) : std::int64_t(bits);
}

// What an operator makes of x.
template <typename T>
std::vector<T> results(const Device &device, const Type &type, Op op, const std::vector<T> &x) {
  Graph graph(device.getTarget());
  auto in = graph.addVariable(type, {x.size()}, VariableMappingMethod::LINEAR, "x");
  Sequence prog;
  auto out = popops::map(graph, op, in, prog, "y");
  graph.createHostWrite("x", in);
  graph.createHostRead("y", out);
  Engine engine(graph, prog);
  engine.load(device);
  engine.writeTensor("x", x.data(), x.data() + x.size());
  engine.run();
  std::vector<T> got(x.size());
  engine.readTensor("y", got.data(), got.data() + got.size());
  return got;
}

// A number of a type for each result: how far the two are apart.
struct Apart {
  std::int64_t worst = 0, many = 0;
  double at = 0;
  template <typename Bits> void add(Bits got, Bits wanted, double x) {
    const auto steps = std::abs(place(got) - place(wanted));
    many += steps != 0;
    if (steps > worst)
      worst = steps, at = x;
  }
};

// All halves, as bits and as numbers.
struct Halves {
  std::vector<std::uint16_t> bits = std::vector<std::uint16_t>(0x10000);
  std::vector<double> values = std::vector<double>(0x10000);
  explicit Halves(const Target &target) {
    std::iota(bits.begin(), bits.end(), std::uint16_t(0));
    copyDeviceHalfToDouble(target, bits.data(), values.data(), bits.size());
  }
};

Apart halvesApart(const Device &device, Op op, double (*exact)(double)) {
  const auto &target = device.getTarget();
  const Halves x(target);
  const auto got = results(device, HALF, op, x.bits);
  Apart out;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double y = exact(x.values[i]);
    std::uint16_t wanted;
    copyDoubleToDeviceHalf(target, &y, &wanted, 1);
    if (std::isnan(y))
      EXPECT_GT(got[i] & 0x7fff, 0x7c00) << x.values[i];
    else
      out.add(got[i], wanted, x.values[i]);
  }
  return out;
}

// Of every size that tiles do not take for zero, and as many between -8 and 8.
std::vector<float> someFloats() {
  std::mt19937 random(1);
  std::vector<float> out;
  while (out.size() < 200000) {
    const float value = std::bit_cast<float>(std::uint32_t(random()));
    if (std::isnormal(value))
      out.push_back(value);
    out.push_back(float(random()) / float(1u << 28) - 8);
  }
  return out;
}

} // namespace

TEST(Bits, NearlyAllHalvesOfFunctionsAreTheNearestOnes) {
  const auto device = IPUModel().createDevice();
  for (const auto &f : functions) {
    const auto apart = halvesApart(device, f.op, f.exact);
    EXPECT_LE(apart.worst, 1) << f.name << "(" << apart.at << ")";
    EXPECT_LE(apart.many, f.halves) << f.name << "(" << apart.at << ")";
  }
}

TEST(Bits, FloatsOfFunctionsAreWithinOneOrTwoStepsOfTheNearestOnes) {
  const auto device = IPUModel().createDevice();
  const auto x = someFloats();
  for (const auto &f : functions) {
    const auto got = results(device, FLOAT, f.op, x);
    Apart apart;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = f.exact(x[i]);
      const auto wanted = float(exact);
      if (std::isnan(exact))
        EXPECT_TRUE(std::isnan(got[i])) << f.name << "(" << x[i] << ")";
      else if (std::fpclassify(wanted) == FP_SUBNORMAL)
        EXPECT_EQ(got[i], 0) << f.name << "(" << x[i] << ")";
      else
        apart.add(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(wanted), x[i]);
    }
    EXPECT_LE(apart.worst, f.steps) << f.name << "(" << apart.at << ")";
  }
}

// x / 2 * (1 + erf(x / sqrt(2))) as it is written: what is near zero on the left loses digits.
TEST(Bits, GeluIsExactToAStepOfItsOperand) {
  const auto device = IPUModel().createDevice();
  const auto x = someFloats();
  const auto got = results(device, FLOAT, Op::GELU_ERF, x);
  constexpr double least = std::numeric_limits<float>::min(); // what is less is zero
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double step = std::ldexp(std::abs(double(x[i])), -23);
    EXPECT_LE(std::abs(got[i] - gelu(x[i])), step + least) << x[i];
  }
}

// Sums, differences, products and quotients of halves, also in one expression: each is rounded.
TEST(Bits, ArithmeticOfHalvesIsRoundedToNearestEven) {
  const auto device = IPUModel().createDevice();
  const auto &target = device.getTarget();
  Halves a(target), b(target);
  std::shuffle(b.bits.begin(), b.bits.end(), std::mt19937(1));
  copyDeviceHalfToDouble(target, b.bits.data(), b.values.data(), b.bits.size());
  using Binary = pe::BinaryOpType;
  const std::pair<Binary, double (*)(double, double)> operators[] = {
      {Binary::ADD, [](double x, double y) { return x + y; }},
      {Binary::SUBTRACT, [](double x, double y) { return x - y; }},
      {Binary::MULTIPLY, [](double x, double y) { return x * y; }},
      {Binary::DIVIDE, [](double x, double y) { return x / y; }}};
  for (const auto &[op, exact] : operators) {
    Graph graph(target);
    const auto count = a.bits.size();
    auto x = graph.addVariable(HALF, {count}, VariableMappingMethod::LINEAR, "x");
    auto y = graph.addVariable(HALF, {count}, VariableMappingMethod::LINEAR, "y");
    Sequence prog;
    auto z = popops::map(graph, op, x, y, prog, "z");
    graph.createHostWrite("x", x);
    graph.createHostWrite("y", y);
    graph.createHostRead("z", z);
    Engine engine(graph, prog);
    engine.load(device);
    engine.writeTensor("x", a.bits.data(), a.bits.data() + count);
    engine.writeTensor("y", b.bits.data(), b.bits.data() + count);
    engine.run();
    std::vector<std::uint16_t> got(count);
    engine.readTensor("z", got.data(), got.data() + count);
    for (std::size_t i = 0; i < count; ++i) {
      const double wanted = exact(a.values[i], b.values[i]);
      std::uint16_t bits;
      copyDoubleToDeviceHalf(target, &wanted, &bits, 1);
      if (std::isnan(wanted))
        EXPECT_GT(got[i] & 0x7fff, 0x7c00);
      else
        EXPECT_EQ(got[i], bits) << a.values[i] << ", " << b.values[i] << ", " << int(op);
    }
  }
}
