// SPDX-License-Identifier: MIT
// Every operator on FLOAT and HALF against the same operator in double precision.
#include "Expected.hpp"
#include "popops/ElementWise.hpp"
#include "popops/ExprOpUtils.hpp"

using namespace popops;
using namespace popops::expr;
using namespace poplar;

namespace {

double roundAwayFromZero(double x) { return std::round(x); }

struct UnaryCase {
  UnaryOpType op;
  double lo, hi;
  double (*f)(double);
};
const UnaryCase floatUnary[] = {
    {UnaryOpType::ABSOLUTE, -3, 3, [](double x) { return std::fabs(x); }},
    {UnaryOpType::ASIN, -1, 1, [](double x) { return std::asin(x); }},
    {UnaryOpType::CBRT, -30, 30, [](double x) { return std::cbrt(x); }},
    {UnaryOpType::CEIL, -9, 9, [](double x) { return std::ceil(x); }},
    {UnaryOpType::COS, -9, 9, [](double x) { return std::cos(x); }},
    {UnaryOpType::ERF, -3, 3, [](double x) { return std::erf(x); }},
    {UnaryOpType::EXPONENT, -8, 8, [](double x) { return std::exp(x); }},
    {UnaryOpType::EXPONENT_MINUS_ONE, -4, 4, [](double x) { return std::expm1(x); }},
    {UnaryOpType::EXPONENT2, -8, 8, [](double x) { return std::exp2(x); }},
    {UnaryOpType::FLOOR, -9, 9, [](double x) { return std::floor(x); }},
    {UnaryOpType::GELU_ERF, -5, 5,
     [](double x) { return 0.5 * x * std::erfc(-x * std::sqrt(0.5)); }},
    {UnaryOpType::INVERSE, 0.1, 9, [](double x) { return 1 / x; }},
    {UnaryOpType::IS_FINITE, -9, 9, [](double) { return 1.0; }},
    {UnaryOpType::IS_INF, -9, 9, [](double) { return 0.0; }},
    {UnaryOpType::IS_NAN, -9, 9, [](double) { return 0.0; }},
    {UnaryOpType::LOGARITHM, 0.01, 90, [](double x) { return std::log(x); }},
    {UnaryOpType::LOGARITHM_ONE_PLUS, -0.9, 9, [](double x) { return std::log1p(x); }},
    {UnaryOpType::NEGATE, -9, 9, [](double x) { return -x; }},
    {UnaryOpType::NEARBY_INT, -9, 9, [](double x) { return std::nearbyint(x); }},
    {UnaryOpType::RELU, -9, 9, [](double x) { return x > 0 ? x : 0; }},
    {UnaryOpType::SIGNUM, -9, 9, [](double x) { return double((x > 0) - (x < 0)); }},
    {UnaryOpType::SIN, -9, 9, [](double x) { return std::sin(x); }},
    {UnaryOpType::TAN, -1.4, 1.4, [](double x) { return std::tan(x); }},
    {UnaryOpType::TANH, -4, 4, [](double x) { return std::tanh(x); }},
    {UnaryOpType::ROUND, -9, 9, roundAwayFromZero},
    {UnaryOpType::SQRT, 0, 90, [](double x) { return std::sqrt(x); }},
    {UnaryOpType::SQUARE, -9, 9, [](double x) { return x * x; }},
    {UnaryOpType::SIGMOID, -8, 8, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {UnaryOpType::RSQRT, 0.1, 90, [](double x) { return 1 / std::sqrt(x); }},
    {UnaryOpType::TRUNC, -9, 9, [](double x) { return std::trunc(x); }}};

struct BinaryCase {
  BinaryOpType op;
  double loA, hiA, loB, hiB;
  double (*f)(double, double);
};
const BinaryCase floatBinary[] = {
    {BinaryOpType::ADD, -9, 9, -9, 9, [](double a, double b) { return a + b; }},
    {BinaryOpType::ATAN2, -9, 9, -9, 9, [](double a, double b) { return std::atan2(a, b); }},
    {BinaryOpType::DIVIDE, -9, 9, 0.5, 9, [](double a, double b) { return a / b; }},
    {BinaryOpType::EQUAL, 0, 3, 0, 3, [](double a, double b) { return double(a == b); }},
    {BinaryOpType::GREATER_THAN_EQUAL, 0, 3, 0, 3,
     [](double a, double b) { return double(a >= b); }},
    {BinaryOpType::GREATER_THAN, 0, 3, 0, 3, [](double a, double b) { return double(a > b); }},
    {BinaryOpType::LESS_THAN_EQUAL, 0, 3, 0, 3, [](double a, double b) { return double(a <= b); }},
    {BinaryOpType::LESS_THAN, 0, 3, 0, 3, [](double a, double b) { return double(a < b); }},
    {BinaryOpType::MAXIMUM, -9, 9, -9, 9, [](double a, double b) { return std::max(a, b); }},
    {BinaryOpType::MINIMUM, -9, 9, -9, 9, [](double a, double b) { return std::min(a, b); }},
    {BinaryOpType::MULTIPLY, -9, 9, -9, 9, [](double a, double b) { return a * b; }},
    {BinaryOpType::NOT_EQUAL, 0, 3, 0, 3, [](double a, double b) { return double(a != b); }},
    {BinaryOpType::POWER, 0.1, 4, -3, 3, [](double a, double b) { return std::pow(a, b); }},
    {BinaryOpType::REMAINDER, -9, 9, 0.5, 3, [](double a, double b) { return std::fmod(a, b); }},
    {BinaryOpType::SUBTRACT, -9, 9, -9, 9, [](double a, double b) { return a - b; }}};

bool isExact(BinaryOpType op) {
  return op == BinaryOpType::ADD || op == BinaryOpType::SUBTRACT || op == BinaryOpType::MULTIPLY ||
         op == BinaryOpType::DIVIDE || op == BinaryOpType::REMAINDER;
}

} // namespace

TEST(ElementWise, UnaryOperatorsOnFloatAndHalfMatchDoublePrecision) {
  Expected e;
  for (const Type &type : {FLOAT, HALF})
    for (const auto &c : floatUnary) {
      const auto values = e.s.random(131, c.lo, c.hi);
      const auto x = e.s.input(type, {131}, values);
      const auto stored = Session::stored(type, values);
      Doubles expected = each(stored, c.f);
      const double relative = type == FLOAT ? 1e-6 : 6e-4;
      e.expect(map(e.s.graph, c.op, x, e.s.prog), expected, relative, type == FLOAT ? 2e-7 : 1e-4,
               unaryOpTypeToString(c.op) + " " + type.toString());
      if (c.op == UnaryOpType::IS_FINITE || c.op == UnaryOpType::IS_INF ||
          c.op == UnaryOpType::IS_NAN)
        continue;
      const auto y = e.s.input(type, {131}, values);
      mapInPlace(e.s.graph, c.op, y, e.s.prog);
      e.expect(y, expected, relative, type == FLOAT ? 2e-7 : 1e-4,
               unaryOpTypeToString(c.op) + " in place " + type.toString());
    }
  e.run();
}

TEST(ElementWise, RoundingIsAwayFromZeroOrToEvenAndSpecialValuesAreTold) {
  Expected e;
  const double inf = INFINITY;
  const Doubles values{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997, -0.49999997, inf, -inf, NAN, 0};
  const auto x = e.s.input(FLOAT, {values.size()}, values);
  e.expect(popops::round(e.s.graph, x, e.s.prog), {-3, -2, -1, 1, 2, 3, 0, 0, inf, -inf, NAN, 0}, 0,
           0, "round");
  e.expect(popops::nearbyint(e.s.graph, x, e.s.prog), {-2, -2, 0, 0, 2, 2, 0, 0, inf, -inf, NAN, 0},
           0, 0, "nearbyint");
  e.expect(popops::isFinite(e.s.graph, x, e.s.prog), {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1}, 0, 0,
           "isFinite");
  e.expect(map(e.s.graph, IsInf(_1), {x}, e.s.prog), {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0}, 0, 0,
           "isInf");
  e.expect(map(e.s.graph, IsNaN(_1), {x}, e.s.prog), {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}, 0, 0,
           "isNaN");
  e.run();
}

TEST(ElementWise, BinaryOperatorsOnFloatAndHalfMatchDoublePrecision) {
  Expected e;
  for (const Type &type : {FLOAT, HALF})
    for (const auto &c : floatBinary) {
      auto a = e.s.random(131, c.loA, c.hiA), b = e.s.random(131, c.loB, c.hiB);
      std::copy(a.begin(), a.begin() + 20, b.begin()); // some equal values
      if (c.op == BinaryOpType::DIVIDE || c.op == BinaryOpType::REMAINDER)
        for (auto &x : b)
          x = std::fabs(x) + 0.1;
      const auto ta = e.s.input(type, {131}, a), tb = e.s.input(type, {131}, b);
      auto expected = each(Session::stored(type, a), Session::stored(type, b), c.f);
      if (isExact(c.op))
        expected = Session::stored(type, expected);
      const bool exact = isExact(c.op) && type == FLOAT;
      e.expect(map(e.s.graph, c.op, ta, tb, e.s.prog), expected,
               exact           ? 0
               : type == FLOAT ? 1e-6
                               : 6e-4,
               type == HALF ? 1e-4 : 0, binaryOpTypeToString(c.op) + " " + type.toString());
    }
  e.run();
}

TEST(ElementWise, HalvesAreRoundedAfterEachOperator) {
  Expected e;
  const auto a = e.s.random(500, -3, 3), b = e.s.random(500, -3, 3);
  const auto ta = e.s.input(HALF, {500}, a), tb = e.s.input(HALF, {500}, b);
  const auto expected =
      each(Session::stored(HALF, a), Session::stored(HALF, b), [](double x, double y) {
        const double product = toHalf(x * y), sum = toHalf(product + x);
        return toHalf(sum / y);
      });
  e.expect(map(e.s.graph, (_1 * _2 + _1) / _2, {ta, tb}, e.s.prog), expected, 0, 0, "expression");
  // One float scales halves in float: rounded once, and the scale is not rounded at all.
  const double scale = double(float(1.0003));
  const auto s = e.s.input(FLOAT, {}, {scale});
  e.expect(
      mul(e.s.graph, ta, s, e.s.prog),
      each(Session::stored(HALF, a), [&](double x) { return toHalf(float(x) * float(scale)); }), 0,
      0, "scale");
  e.run();
}

TEST(ElementWise, VarianceAndInverseStandardDeviationConvertBothWays) {
  Expected e;
  const auto v = e.s.random(20, 0.5, 4);
  const auto f = e.s.input(FLOAT, {20}, v), h = e.s.input(HALF, {20}, v);
  const auto stored = Session::stored(FLOAT, v), halves = Session::stored(HALF, v);
  auto isd = [](double x) { return 1 / std::sqrt(x + double(1e-3f)); };
  auto var = [](double x) { return 1 / (x * x) - double(1e-3f); };
  const auto y = varianceToInvStdDev(e.s.graph, f, 1e-3f, e.s.prog, FLOAT);
  e.expect(y, each(stored, isd), 1e-6, 0, "isd");
  const auto narrow = varianceToInvStdDev(e.s.graph, f, 1e-3f, e.s.prog);
  EXPECT_EQ(narrow.elementType(), HALF);
  e.expect(narrow, each(stored, isd), 1e-3, 0, "isd half");
  const auto wide = invStdDevToVariance(e.s.graph, h, 1e-3f, e.s.prog);
  EXPECT_EQ(wide.elementType(), FLOAT);
  e.expect(wide, each(halves, var), 1e-5, 1e-6, "variance");
  e.run();
}
