// SPDX-License-Identifier: MIT
// Every operator on every type against the same operator in double precision (integers: exact).
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "popops/ElementWise.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/ExprOpUtils.hpp"
#include "popops/MapTogether.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <bit>

using namespace popops;
using namespace popops::expr;
using namespace poplar;

namespace {

// Outputs that are compared after one run.
struct Expected {
  Session s;
  struct Case {
    std::size_t output;
    Doubles values;
    double relative, absolute;
    std::string what;
  };
  std::vector<Case> cases;

  void expect(const Tensor &t, Doubles values, double relative, double absolute,
              const std::string &what) {
    cases.push_back({s.output(t), std::move(values), relative, absolute, what});
  }
  void run() {
    s.run();
    for (const auto &c : cases) {
      SCOPED_TRACE(c.what);
      expectClose(s.values(c.output), c.values, c.relative, c.absolute);
    }
  }
};

double roundAwayFromZero(double x) { return std::round(x); }
double toHalf(double x) { return Session::halfToFloat(Session::floatToHalf(float(x))); }

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

// 64-bit results of the integer operators, to be cut to the type.
std::int64_t integerResult(BinaryOpType op, std::int64_t a, std::int64_t b, bool isSigned,
                           unsigned bits) {
  const std::uint64_t ua = std::uint64_t(a), ub = std::uint64_t(b);
  const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  switch (op) {
  case BinaryOpType::ADD:
    return std::int64_t(ua + ub);
  case BinaryOpType::SUBTRACT:
    return std::int64_t(ua - ub);
  case BinaryOpType::MULTIPLY:
    return std::int64_t(ua * ub);
  case BinaryOpType::BITWISE_AND:
    return a & b;
  case BinaryOpType::BITWISE_OR:
    return a | b;
  case BinaryOpType::BITWISE_XOR:
    return a ^ b;
  case BinaryOpType::BITWISE_XNOR:
    return ~(a ^ b);
  case BinaryOpType::DIVIDE:
    return isSigned ? a / b : std::int64_t(ua / ub);
  case BinaryOpType::REMAINDER:
    return isSigned ? a % b : std::int64_t(ua % ub);
  case BinaryOpType::MAXIMUM:
    return std::max(a, b);
  case BinaryOpType::MINIMUM:
    return std::min(a, b);
  case BinaryOpType::EQUAL:
    return a == b;
  case BinaryOpType::NOT_EQUAL:
    return a != b;
  case BinaryOpType::LESS_THAN:
    return a < b;
  case BinaryOpType::LESS_THAN_EQUAL:
    return a <= b;
  case BinaryOpType::GREATER_THAN:
    return a > b;
  case BinaryOpType::GREATER_THAN_EQUAL:
    return a >= b;
  case BinaryOpType::SHIFT_LEFT:
    return std::int64_t(ua << ub);
  case BinaryOpType::SHIFT_RIGHT:
    return std::int64_t((ua & mask) >> ub);
  case BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND:
    return a >> b;
  case BinaryOpType::POWER: {
    std::int64_t result = 1;
    for (std::int64_t i = 0; i < b; ++i)
      result *= a;
    return result;
  }
  default:
    return 0;
  }
}
double cut(std::int64_t value, bool isSigned, unsigned bits) {
  switch (bits) {
  case 16:
    return isSigned ? double(std::int16_t(value)) : double(std::uint16_t(value));
  case 32:
    return isSigned ? double(std::int32_t(value)) : double(std::uint32_t(value));
  default:
    return isSigned ? double(value) : double(std::uint64_t(value));
  }
}

template <class F> Doubles each(const Doubles &a, F f) {
  Doubles out;
  for (double x : a)
    out.push_back(f(x));
  return out;
}
template <class F> Doubles each(const Doubles &a, const Doubles &b, F f) {
  Doubles out;
  for (std::size_t i = 0; i < a.size(); ++i)
    out.push_back(f(a[i], b[i]));
  return out;
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

TEST(ElementWise, IntegerOperatorsAreExactForAllWidths) {
  Expected e;
  struct Int {
    Type type;
    bool isSigned;
    unsigned bits;
  };
  const Int types[] = {{INT, true, 32},      {UNSIGNED_INT, false, 32},
                       {LONGLONG, true, 64}, {UNSIGNED_LONGLONG, false, 64},
                       {SHORT, true, 16},    {UNSIGNED_SHORT, false, 16}};
  for (const auto &[type, isSigned, bits] : types)
    for (unsigned i = 0; i <= unsigned(BinaryOpType::VARIANCE_TO_INV_STD_DEV); ++i) {
      const auto op = BinaryOpType(i);
      if (!cost::supported(op, type))
        continue;
      const bool small = op == BinaryOpType::POWER;
      const bool shift = op == BinaryOpType::SHIFT_LEFT || op == BinaryOpType::SHIFT_RIGHT ||
                         op == BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND;
      const int low = isSigned ? -1000 : 0;
      auto a = e.s.integers(67, small ? -9 : low, small ? 9 : 1000);
      auto b = shift || small ? e.s.integers(67, 0, 9) : e.s.integers(67, 1, 30);
      const auto ta = e.s.input(type, {67}, a), tb = e.s.input(type, {67}, b);
      const auto expected = each(a, b, [&, s = isSigned, w = bits](double x, double y) {
        return cut(integerResult(op, std::int64_t(x), std::int64_t(y), s, w), s, w);
      });
      e.expect(map(e.s.graph, op, ta, tb, e.s.prog), expected, 0, 0,
               binaryOpTypeToString(op) + " " + type.toString());
    }
  const Doubles v{0, 1, -1, 7, -7, 2147483647, -2147483648.0, 255};
  const auto x = e.s.input(INT, {8}, v);
  auto asInt = [](double d) { return std::int32_t(std::int64_t(d)); };
  e.expect(popops::abs(e.s.graph, x, e.s.prog), {0, 1, 1, 7, 7, 2147483647, -2147483648.0, 255}, 0,
           0, "abs");
  e.expect(popops::bitwiseNot(e.s.graph, x, e.s.prog), each(v, [&](double d) { return ~asInt(d); }),
           0, 0, "not");
  e.expect(popops::popcount(e.s.graph, x, e.s.prog),
           each(v, [&](double d) { return std::popcount(unsigned(asInt(d))); }), 0, 0, "popcount");
  e.expect(popops::countLeadingZeros(e.s.graph, x, e.s.prog),
           each(v, [&](double d) { return std::countl_zero(unsigned(asInt(d))); }), 0, 0, "clz");
  e.expect(popops::signum(e.s.graph, x, e.s.prog), {0, 1, -1, 1, -1, 1, -1, 1}, 0, 0, "signum");
  const auto roots = e.s.input(INT, {4}, {0, 15, 16, 2147483647});
  e.expect(popops::sqrt(e.s.graph, roots, e.s.prog), {0, 3, 4, 46340}, 0, 0, "sqrt");
  e.run();
}

TEST(ElementWise, LogicalOperatorsWorkOnBools) {
  Expected e;
  const auto a = e.s.input(BOOL, {4}, {0, 0, 1, 1}), b = e.s.input(BOOL, {4}, {0, 1, 0, 1});
  e.expect(logicalAnd(e.s.graph, a, b, e.s.prog), {0, 0, 0, 1}, 0, 0, "and");
  e.expect(logicalOr(e.s.graph, a, b, e.s.prog), {0, 1, 1, 1}, 0, 0, "or");
  e.expect(logicalNot(e.s.graph, a, e.s.prog), {1, 1, 0, 0}, 0, 0, "not");
  e.expect(eq(e.s.graph, a, b, e.s.prog), {1, 0, 0, 1}, 0, 0, "eq");
  e.expect(lt(e.s.graph, a, b, e.s.prog), {0, 1, 0, 0}, 0, 0, "lt");
  const auto c = e.s.input(BOOL, {4}, {0, 0, 1, 1});
  neqInPlace(e.s.graph, c, b, e.s.prog);
  e.expect(c, {0, 1, 1, 0}, 0, 0, "neq in place");
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

// All views of a [6,10,4] variable: what they show, told by index arithmetic.
TEST(ElementWise, ViewsOfAllKindsAreOperandsAndTargets) {
  Expected e;
  const Shape shape{6, 10, 4};
  const auto values = e.s.random(240);
  const auto stored = Session::stored(FLOAT, values);
  auto at = [&](std::size_t i, std::size_t j, std::size_t k) {
    return stored[(i * 10 + j) * 4 + k];
  };
  struct View {
    const char *name;
    std::function<Tensor(const Tensor &)> view;
    Shape shape;
    std::function<double(std::size_t, std::size_t, std::size_t)> value;
  };
  const View views[] = {{"whole", [](const Tensor &t) { return t; }, {6, 10, 4}, at},
                        {"shuffled",
                         [](const Tensor &t) {
                           return t.dimShuffle({2, 0, 1});
                         },
                         {4, 6, 10},
                         [&](auto i, auto j, auto k) { return at(j, k, i); }},
                        {"inner transposed",
                         [](const Tensor &t) {
                           return t.dimShuffle({0, 2, 1});
                         },
                         {6, 4, 10},
                         [&](auto i, auto j, auto k) { return at(i, k, j); }},
                        {"sliced",
                         [](const Tensor &t) {
                           return t.slice({1, 2, 1}, {5, 9, 3});
                         },
                         {4, 7, 2},
                         [&](auto i, auto j, auto k) { return at(i + 1, j + 2, k + 1); }},
                        {"reversed",
                         [](const Tensor &t) { return t.reverse(2).reverse(0); },
                         {6, 10, 4},
                         [&](auto i, auto j, auto k) { return at(5 - i, j, 3 - k); }},
                        {"subsampled",
                         [](const Tensor &t) { return t.subSample(3, 1); },
                         {6, 4, 4},
                         [&](auto i, auto j, auto k) { return at(i, 3 * j, k); }},
                        {"concatenated",
                         [](const Tensor &t) { return concat(t.slice(3, 6), t.slice(0, 3)); },
                         {6, 10, 4},
                         [&](auto i, auto j, auto k) { return at((i + 3) % 6, j, k); }}};
  for (const Type &type : {FLOAT, HALF, INT})
    for (const auto &v : views) {
      const bool integer = type == INT;
      auto given = values;
      if (integer)
        for (auto &x : given)
          x = std::floor(100 * x);
      auto show = [&](double x) {
        if (integer)
          return std::floor(
              100 *
              values[std::size_t(std::find(stored.begin(), stored.end(), x) - stored.begin())]);
        return type == HALF
                   ? Session::stored(
                         HALF, {values[std::size_t(std::find(stored.begin(), stored.end(), x) -
                                                   stored.begin())]})[0]
                   : x;
      };
      Doubles shown;
      for (std::size_t i = 0; i < v.shape[0]; ++i)
        for (std::size_t j = 0; j < v.shape[1]; ++j)
          for (std::size_t k = 0; k < v.shape[2]; ++k)
            shown.push_back(show(v.value(i, j, k)));
      const auto t = e.s.input(type, shape, given);
      const auto vector = e.s.integers(v.shape[2], 1, 9);
      const auto tv = e.s.input(type, {v.shape[2]}, vector);
      const auto column = e.s.integers(v.shape[1], 1, 9);
      const auto tc = e.s.input(type, {v.shape[1], 1}, column);
      const auto other = e.s.integers(shown.size(), 1, 9);
      const auto to = e.s.input(type, v.shape, other);
      Doubles expected;
      for (std::size_t i = 0; i < shown.size(); ++i) {
        const double sum = shown[i] + vector[i % v.shape[2]];
        const double rounded = Session::stored(type, {sum})[0];
        const double product =
            Session::stored(type, {rounded * column[i / v.shape[2] % v.shape[1]]})[0];
        expected.push_back(Session::stored(type, {product - other[i]})[0]);
      }
      const std::string what = std::string(v.name) + " " + type.toString();
      const auto expr = (_1 + _2) * _3 - _4;
      e.expect(map(e.s.graph, expr, {v.view(t), tv, tc, to}, e.s.prog), expected, 0, 0,
               what + " as operand");
      mapWithOutput(e.s.graph, expr, {v.view(t), tv, tc, to}, v.view(e.s.graph.clone(t)), e.s.prog);
      const auto copy = e.s.input(type, shape, given);
      mapInPlace(e.s.graph, expr, {v.view(copy), tv, tc, to}, e.s.prog);
      e.expect(v.view(copy), expected, 0, 0, what + " in place");
      mapWithOutput(e.s.graph, expr, {v.view(t), tv, tc, v.view(copy)}, to, e.s.prog);
    }
  e.run();
}

TEST(ElementWise, OperandsThatOverlapTheTargetAreReadBeforeItIsWritten) {
  Expected e;
  const auto values = e.s.random(36);
  const auto stored = Session::stored(FLOAT, values);
  const auto t = e.s.input(FLOAT, {6, 6}, values);
  addInPlace(e.s.graph, t, t.transpose(), e.s.prog);
  Doubles expected;
  for (std::size_t i = 0; i < 36; ++i)
    expected.push_back(float(stored[i] + stored[i % 6 * 6 + i / 6]));
  e.expect(t, expected, 0, 0, "transpose");
  const auto u = e.s.input(FLOAT, {6, 6}, values);
  mulInPlace(e.s.graph, u, u[0], e.s.prog); // its own first row
  expected.clear();
  for (std::size_t i = 0; i < 36; ++i)
    expected.push_back(float(stored[i] * stored[i % 6]));
  e.expect(u, expected, 0, 0, "own row");
  const auto w = e.s.input(FLOAT, {37}, e.s.random(37));
  const auto x = e.s.input(FLOAT, {36}, values);
  mapWithOutput(e.s.graph, _1 + _2, {w.slice(0, 36), x}, w.slice(1, 37), e.s.prog);
  mapWithOutput(e.s.graph, _1, {x}, w.slice(1, 37), e.s.prog);
  e.expect(w.slice(1, 37), stored, 0, 0, "copy");
  e.run();
}

TEST(ElementWise, BigTensorsAreSplitAmongThreadsWithoutChangingTheResult) {
  const std::size_t n = 300007;
  Expected e;
  const auto a = e.s.random(n), b = e.s.random(n);
  const auto ta = e.s.input(FLOAT, {n}, a), tb = e.s.input(FLOAT, {n}, b);
  e.expect(add(e.s.graph, ta, tb, e.s.prog),
           Session::stored(FLOAT, each(Session::stored(FLOAT, a), Session::stored(FLOAT, b),
                                       [](double x, double y) { return x + y; })),
           0, 0, "flat");
  const Shape matrix{501, 400};
  const auto m = e.s.random(501 * 400), v = e.s.random(400), c = e.s.random(501);
  const auto tm = e.s.input(FLOAT, {400, 501}, m).transpose(); // lies the other way round
  const auto tr = e.s.input(FLOAT, matrix, m);
  const auto tv = e.s.input(FLOAT, {400}, v), tc = e.s.input(FLOAT, {501, 1}, c);
  Doubles expected;
  const auto sm = Session::stored(FLOAT, m), sv = Session::stored(FLOAT, v),
             sc = Session::stored(FLOAT, c);
  for (std::size_t i = 0; i < 501; ++i)
    for (std::size_t j = 0; j < 400; ++j) {
      const double sum = float(sm[j * 501 + i] + sm[i * 400 + j]);
      expected.push_back(float(float(sum * sv[j]) + sc[i]));
    }
  e.expect(map(e.s.graph, (_1 + _2) * _3 + _4, {tm, tr, tv, tc}, e.s.prog), expected, 0, 0,
           "matrix");
  e.run();
}

TEST(ElementWise, TheNumberOfThreadsDoesNotChangeABit) {
  const std::size_t n = 100003;
  Session s;
  const auto x = s.input(FLOAT, {n}, s.random(n, -5, 5));
  const auto m = s.input(FLOAT, {301, 271}, s.random(301 * 271, -5, 5));
  const auto y = s.output(map(s.graph, Exp(_1) * Sin(_1), {x}, s.prog));
  const auto z = s.output(map(s.graph, Tanh(_1) + _2, {m, m.transpose()[0].slice(0, 271)}, s.prog));
  const unsigned threads = base::numThreads();
  base::setNumThreads(1);
  s.run();
  const Doubles first = s.values(y), second = s.values(z);
  base::setNumThreads(3);
  s.run();
  base::setNumThreads(threads);
  EXPECT_EQ(s.values(y), first);
  EXPECT_EQ(s.values(z), second);
}

TEST(ElementWise, OperandsThatLieAcrossTheRowsAreReadInTiles) {
  Expected e;
  for (const Type &type : {FLOAT, HALF, LONGLONG, SHORT, BOOL}) {
    const std::size_t n = 3 * 37 * 300;
    const auto a = e.s.integers(n, 0, type == BOOL ? 1 : 99), b = e.s.integers(n, 0, 1);
    const auto ta = e.s.input(type, {3, 300, 37}, a).dimShuffle({0, 2, 1});
    const auto tb = e.s.input(type, {3, 37, 300}, b);
    Doubles expected;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t plane = i / (37 * 300), row = i / 300 % 37, column = i % 300;
      expected.push_back(a[(plane * 300 + column) * 37 + row] == b[i]);
    }
    const auto out = e.s.graph.addVariable(BOOL, {3, 37, 300}, VariableMappingMethod::LINEAR);
    eqWithOutput(e.s.graph, ta, tb, out, e.s.prog);
    e.expect(out, expected, 0, 0, type.toString());
  }
  e.run();
}

TEST(ElementWise, ConstantsTakeTheTypeOfTheTensorAndWrappersTakeThemOnEitherSide) {
  Expected e;
  const auto f = e.s.input(FLOAT, {3}, {1, 2, 3}), h = e.s.input(HALF, {3}, {1, 2, 3});
  const auto i = e.s.input(INT, {3}, {1, 2, 3});
  e.expect(add(e.s.graph, f, 0.5f, e.s.prog, "n"), {1.5, 2.5, 3.5}, 0, 0, "add");
  e.expect(sub(e.s.graph, 1.0, h, e.s.prog), {0, -1, -2}, 0, 0, "sub");
  e.expect(mul(e.s.graph, 2, i, e.s.prog), {2, 4, 6}, 0, 0, "mul");
  e.expect(map(e.s.graph, Select(Mul(Const(0.1f), _1), _1, Lt(_1, Const(2.0f))), {h}, e.s.prog),
           {toHalf(toHalf(0.1)), 2, 3}, 0, 0, "leaky relu");
  e.expect(map(e.s.graph, Const(2.0f) * Const(3.0f) + _1, {h}, e.s.prog), {7, 8, 9}, 0, 0,
           "constants only");
  e.expect(map(e.s.graph, Cast(_1, FLOAT) / 2.0f, {i}, e.s.prog), {0.5, 1, 1.5}, 0, 0, "cast");
  e.expect(map(e.s.graph, Clamp(_1, Const(1.5f), Const(2.5f)), {f}, e.s.prog), {1.5, 2, 2.5}, 0, 0,
           "clamp");
  e.expect(map(e.s.graph, Const(7), {}, e.s.prog), {7}, 0, 0, "lone constant");
  addInPlace(e.s.graph, i, 10, e.s.prog);
  e.expect(i, {11, 12, 13}, 0, 0, "in place");
  EXPECT_THROW(add(e.s.graph, f, 1, e.s.prog), std::runtime_error);
  EXPECT_THROW(add(e.s.graph, i, 1.0f, e.s.prog), std::runtime_error);
  EXPECT_THROW(mul(e.s.graph, 2u, i, e.s.prog), std::runtime_error);
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

TEST(ElementWise, SeveralExpressionsSeeTheOldValues) {
  Expected e;
  const auto a = e.s.input(FLOAT, {3}, {1, 2, 3}), b = e.s.input(FLOAT, {3}, {10, 20, 30});
  const auto both = map(e.s.graph, std::vector<Any>{_1 + _2, _1 - _2}, {a, b}, e.s.prog);
  e.expect(both.at(0), {11, 22, 33}, 0, 0, "sum");
  e.expect(both.at(1), {-9, -18, -27}, 0, 0, "difference");
  mapInPlace(e.s.graph, std::vector<Any>{_2, _1}, {a, b}, e.s.prog);
  e.expect(a, {10, 20, 30}, 0, 0, "swapped");
  e.expect(b, {1, 2, 3}, 0, 0, "swapped");
  EXPECT_THROW(mapInPlace(e.s.graph, std::vector<Any>{_1, _1}, {a}, e.s.prog),
               poputil::poplibs_error);
  EXPECT_THROW(mapWithOutput(e.s.graph, std::vector<Any>{_1, _1}, {a}, {b}, e.s.prog),
               poputil::poplibs_error);
  e.run();
}

// Momentum and weight at once: v <- v / 2 + g, w <- w - v (new) / 4, in numbers that are exact.
TEST(ElementWise, SeveralResultsAreWrittenOverTheirOperandsInOnePass) {
  Expected e;
  const Any newV = Const(0.5f) * _1 + _2;
  const std::vector<Any> exprs{newV, _3 - Const(0.25f) * newV, Any(_2)};
  for (const Type &type : {FLOAT, HALF})
    for (const Shape &shape : {Shape{1}, Shape{7}, Shape{33, 31}, Shape{300, 401}})
      for (bool turned : {false, true}) { // the weight lies another way than its momentum
        if (turned && shape.size() < 2)
          continue;
        std::size_t n = 1;
        for (auto d : shape)
          n *= d;
        const auto v = e.s.integers(n, -8, 8), g = e.s.integers(n, -8, 8),
                   w = e.s.integers(n, -8, 8);
        const auto tv = e.s.input(type, shape, v), tg = e.s.input(type, shape, g);
        const auto tw = turned ? e.s.input(type, {shape[1], shape[0]}, w).transpose()
                               : e.s.input(type, shape, w);
        // The weight goes first, so what others read must survive it.
        mapWithOutput(e.s.graph, {exprs[1], exprs[0], exprs[2]}, {tv, tg, tw}, {tw, tv, tg},
                      e.s.prog);
        Doubles vs, ws;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t at = turned ? i % shape[1] * shape[0] + i / shape[1] : i;
          vs.push_back(v[i] / 2 + g[i]);
          ws.push_back(w[at] - vs[i] / 4);
        }
        e.expect(tv, vs, 0, 0, "momentum");
        e.expect(tw, ws, 0, 0, "weight");
        e.expect(tg, g, 0, 0, "gradient");
      }
  e.run();
}

TEST(ElementWise, ResultsOfSeveralShapesAndTheSameResultTwice) {
  Expected e;
  const auto a = e.s.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}), b = e.s.input(FLOAT, {3}, {7, 8, 9});
  const auto all =
      map(e.s.graph, std::vector<Any>{_1 + _2, _2 * _2, _2 + _1, _1 > _2}, {a, b}, e.s.prog);
  e.expect(all.at(0), {8, 10, 12, 11, 13, 15}, 0, 0, "sum");
  e.expect(all.at(1), {49, 64, 81}, 0, 0, "square");
  e.expect(all.at(2), {8, 10, 12, 11, 13, 15}, 0, 0, "sum again");
  e.expect(all.at(3), {0, 0, 0, 0, 0, 0}, 0, 0, "comparison");
  mapInPlace(e.s.graph, std::vector<Any>{_1 - _2, _2 - Const(1.0f)}, {a, b}, e.s.prog);
  e.expect(a, {-6, -6, -6, -3, -3, -3}, 0, 0, "first");
  e.expect(b, {6, 7, 8}, 0, 0, "second");
  e.run();
}

TEST(ElementWise, BroadcastOperandsOfEveryPatternAreReadInPlace) {
  Expected e;
  const Shape shape{6, 5, 9, 9}, longRows{3, 4, 300};
  const Shape patterns[] = {{5, 1, 1}, {9}, {5, 9, 1}, {6, 1, 1, 1}, {6, 1, 9, 1}, {1, 5, 1, 9},
                            {9, 9},    {1}, {4, 1},    {300},        {3, 1, 300}};
  for (const Type &type : {FLOAT, HALF, INT, SHORT})
    for (const Shape &pattern : patterns) {
      const bool isLong = pattern.back() == 300 || pattern == Shape{4, 1};
      const Shape &out = isLong ? longRows : shape;
      std::size_t n = 1, m = 1;
      for (auto d : out)
        n *= d;
      for (auto d : pattern)
        m *= d;
      const auto a = e.s.integers(n, 0, 99), b = e.s.integers(m, 0, 99);
      Doubles expected;
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t rest = i, at = 0, step = 1;
        for (std::size_t d = 0; d < pattern.size(); ++d) {
          const std::size_t size = out[out.size() - 1 - d], own = pattern[pattern.size() - 1 - d];
          at += own == 1 ? 0 : rest % size * step;
          step *= own;
          rest /= size;
        }
        expected.push_back(type == SHORT ? std::int64_t(a[i]) ^ std::int64_t(b[at])
                                         : a[i] + b[at] + b[at]);
      }
      const auto ta = e.s.input(type, out, a), tb = e.s.input(type, pattern, b);
      e.expect(type == SHORT ? map(e.s.graph, _1 ^ _2, {ta, tb}, e.s.prog)
                             : map(e.s.graph, _1 + _2 + _2, {ta, tb}, e.s.prog),
               expected, 0, 0, type.toString() + base::list(pattern));
    }
  e.run();
}

// Results may lie where an operand was that nobody needs any more: only there.
TEST(ElementWise, ChainsOfTemporariesKeepWhatIsStillNeeded) {
  Expected e;
  const std::size_t n = 70;
  for (const Type &type : {FLOAT, HALF}) {
    Graph &graph = e.s.graph;
    auto &prog = e.s.prog;
    const auto a = e.s.integers(n * n, -4, 4);
    const auto ta = e.s.input(type, {n, n}, a);
    const auto b = map(graph, _1 + Const(1.0f), {ta}, prog);      // ends with d
    const auto c = map(graph, _1 - _2 * _2, {b, b}, prog);        // ends with f
    const auto d = map(graph, _1 + _2, {b, b.transpose()}, prog); // two views of b
    const auto both = map(graph, std::vector<Any>{_1 * _2, _2 - _1}, {c, d}, prog);
    const auto f = map(graph, Max(_1, Const(0.0f)) + _3 - _2, {both[0], both[1], c}, prog);
    Doubles expected;
    auto at = [&](std::size_t i, std::size_t j) { return a[i * n + j] + 1; };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double bb = at(i, j), cc = bb - bb * bb, dd = bb + at(j, i);
        expected.push_back(std::max(0.0, cc * dd) + cc - (dd - cc));
      }
    e.expect(f, expected, 0, 0, type.toString());
  }
  e.run();
}

TEST(ElementWise, ListsOfTensorsAreMappedTogether) {
  Expected e;
  const Any newV = Const(0.5f) * _1 + _2 * _4;
  std::vector<std::vector<Tensor>> ts, outs;
  const auto number = e.s.input(FLOAT, {}, {2});
  for (const Shape &shape : {Shape{5}, Shape{3, 7}, Shape{0, 2}, Shape{40, 50}}) {
    const bool turned = shape.size() == 2 && shape[0] == 3;
    const std::size_t n = shape.size() == 1 ? 5 : shape[0] * shape[1];
    const auto v = e.s.integers(n, -8, 8), g = e.s.integers(n, -8, 8), w = e.s.integers(n, -8, 8);
    auto tensor = [&](const Doubles &values) {
      return n == 0   ? e.s.graph.addVariable(FLOAT, shape, VariableMappingMethod::LINEAR)
             : turned ? e.s.input(FLOAT, {shape[1], shape[0]}, values).transpose()
                      : e.s.input(FLOAT, shape, values);
    };
    ts.push_back({tensor(v), tensor(g), tensor(w), number});
    outs.push_back({ts.back()[0], ts.back()[2], ts.back()[1]});
    if (n == 0)
      continue;
    Doubles vs, ws;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = turned ? i % shape[1] * shape[0] + i / shape[1] : i;
      vs.push_back(v[at] / 2 + 2 * g[at]);
      ws.push_back(w[at] - vs[i] / 4);
    }
    e.expect(ts.back()[0], vs, 0, 0, "momentum");
    e.expect(ts.back()[2], ws, 0, 0, "weight");
    e.expect(ts.back()[1], Doubles(n, 0), 0, 0, "gradient");
  }
  mapTogether(e.s.graph, {newV, _3 - Const(0.25f) * newV, Const(0.0f)}, ts, outs, e.s.prog);
  EXPECT_THROW(mapTogether(e.s.graph, {_1 + _2}, {ts[0], {ts[1][0]}}, {outs[0], outs[1]}, e.s.prog),
               poputil::poplibs_error);
  e.run();
}

TEST(ElementWise, TensorsOfNoneAndOneElementWork) {
  Expected e;
  const auto none = e.s.graph.addVariable(FLOAT, {0, 3}, VariableMappingMethod::LINEAR);
  EXPECT_EQ(add(e.s.graph, none, none, e.s.prog).shape(), (Shape{0, 3}));
  mulInPlace(e.s.graph, none, 2.0f, e.s.prog);
  const auto one = e.s.input(FLOAT, {}, {3}), row = e.s.input(FLOAT, {1, 4}, {1, 2, 3, 4});
  e.expect(square(e.s.graph, one, e.s.prog), {9}, 0, 0, "scalar");
  e.expect(add(e.s.graph, one, row, e.s.prog), {4, 5, 6, 7}, 0, 0, "scalar and row");
  const auto column = e.s.input(FLOAT, {3, 1}, {10, 20, 30});
  e.expect(add(e.s.graph, column, row, e.s.prog), {11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34},
           0, 0, "both broadcast");
  e.run();
}

TEST(ElementWise, MistakesAreRefusedWithShapesAndTypes) {
  Session s;
  auto &g = s.graph;
  const auto f = s.input(FLOAT, {4, 3}, Doubles(12)), i = s.input(INT, {4, 3}, Doubles(12));
  const auto other = s.input(FLOAT, {4, 2}, Doubles(8));
  auto message = [&](auto call) -> std::string {
    try {
      call();
    } catch (const poputil::poplibs_error &error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message([&] { add(g, f, other, s.prog, "layer"); }),
            "popops: shapes [4,3] and [4,2] do not broadcast: dimension 1 is 3 and 2. Make them "
            "equal, or make one of them 1. (at \"layer\")");
  EXPECT_EQ(message([&] { add(g, f, i, s.prog); }),
            "popops::map: operands of ADD have types float and int. Cast one of them.");
  EXPECT_EQ(message([&] { popops::exp(g, i, s.prog); }),
            "popops::map: EXPONENT does not take int.");
  EXPECT_EQ(message([&] {
              map(g, _1 + _3, {f, f}, s.prog);
            }),
            "popops::map: the expression uses _3, but 2 tensors were given. Place holders count "
            "from _1.");
  EXPECT_EQ(message([&] { select(g, f, f, i, s.prog); }),
            "popops::map: the condition of SELECT has type int; it must be bool.");
  EXPECT_NE(message([&] { addInPlace(g, f.slice(0, 1), f, s.prog); }).find("shape [4,3]"),
            std::string::npos);
  EXPECT_NE(message([&] { ltInPlace(g, f, f, s.prog); }).find("type bool"), std::string::npos);
  EXPECT_NE(message([&] {
              addInPlace(g, f[0].expand({0}).broadcast(4, 0), f, s.prog);
            }).find("several places"),
            std::string::npos);
  EXPECT_THROW(map(g, _1, {f}, s.prog, {}, {{"enableGenerateCodelets", "true"}}), invalid_option);
  EXPECT_THROW(map(g, _1, {f}, s.prog, {}, {{"forceGenerateCodelet", "yes"}}), invalid_option);
}

TEST(ElementWise, AlgebraKeepsTheValues) {
  for (const char *optimise : {"true", "false"}) {
    Expected e;
    const auto v = e.s.random(40, 0.5, 4);
    const auto stored = Session::stored(FLOAT, v);
    const auto f = e.s.input(FLOAT, {40}, v);
    const OptionFlags options{{"enableExpressionOptimizations", optimise}};
    for (double power : {0.5, -0.5, 1.0, -1.0, 2.0, 3.0})
      e.expect(map(e.s.graph, Pow(_1, Const(float(power))), {f}, e.s.prog, {}, options),
               each(stored, [&](double x) { return std::pow(x, power); }), 1e-6, 0,
               "pow " + std::to_string(power));
    e.expect(map(e.s.graph, (_1 + 0.0f) * 1.0f / 1.0f - 0.0f, {f}, e.s.prog, {}, options), stored,
             0, 0, "identities");
    const auto u = e.s.integers(40, 0, 1000);
    const auto tu = e.s.input(UNSIGNED_INT, {40}, u);
    e.expect(map(e.s.graph, _1 % 16u + _1 / 8u, {tu}, e.s.prog, {}, options),
             each(u, [](double x) { return double(unsigned(x) % 16 + unsigned(x) / 8); }), 0, 0,
             "powers of two");
    e.expect(map(e.s.graph, Select(_1, Neg(_1), Const(false)), {f}, e.s.prog, {}, options),
             each(stored, [](double x) { return -x; }), 0, 0, "select");
    e.run();
  }
}

TEST(ElementWise, OutputsTakeThePlaceOfTheBestSpreadOperand) {
  Session s(16);
  const auto onOne = s.graph.addVariable(FLOAT, {64});
  s.graph.setTileMapping(onOne, 3);
  const auto spread = s.graph.addVariable(FLOAT, {64}, VariableMappingMethod::LINEAR);
  const auto out = add(s.graph, onOne, spread, s.prog);
  EXPECT_EQ(s.graph.getTileMapping(out), s.graph.getTileMapping(spread));
  const auto row = s.graph.addVariable(FLOAT, {1, 8}, VariableMappingMethod::LINEAR);
  const auto column = s.graph.addVariable(FLOAT, {8, 1}, VariableMappingMethod::LINEAR);
  const auto linear = s.graph.addVariable(FLOAT, {8, 8}, VariableMappingMethod::LINEAR);
  EXPECT_EQ(s.graph.getTileMapping(add(s.graph, row, column, s.prog)),
            s.graph.getTileMapping(linear));
}

TEST(ElementWiseCost, AgreesWithTheReferenceFormulas) {
  using namespace cost;
  EXPECT_EQ(binaryCycles(BinaryOpType::ADD, FLOAT, 680), 1211u);
  EXPECT_EQ(unaryCycles(UnaryOpType::EXPONENT, HALF, 680), 914u);
  EXPECT_EQ(castCycles(FLOAT, HALF, 680), 594u);
  // 100 workers' floats: 11 + 6 * (20 + 50 * 2)
  EXPECT_EQ(broadcastScalarCycles(BinaryOpType::MULTIPLY, FLOAT, 600), 11u + 6 * (20 + 50 * 2));
  EXPECT_EQ(unaryCycles(UnaryOpType::TANH, HALF, 240, true), 20u + 6 * (55 + 10 * 2));
  EXPECT_EQ(fillCycles(FLOAT, 1000), 6u * (23 + 500));
  EXPECT_EQ(vectorInnerCycles(BinaryOpType::ADD, FLOAT, 1, 10, 12), 13u + 6 * (17 + 7 + 120) + 24);
  // Twelve regions: two of fifty elements for each worker.
  EXPECT_EQ(unaryCycles(UnaryOpType::NEGATE, FLOAT, 600, false, 12), 6u * (20 + 2 * 25 * 2));
}

TEST(ElementWise, ExpressionsPrintCompareAndCopy) {
  const Any e = (_1 * 2.0f) - Exp(_2);
  std::ostringstream text, pretty;
  text << e;
  EXPECT_EQ(text.str(), "SUBTRACT(MULTIPLY(_1,Const(2,float)),EXPONENT(_2))");
  e.print(pretty);
  EXPECT_EQ(pretty.str(), "SUBTRACT\n  MULTIPLY\n    _1\n    Const(2,float)\n  EXPONENT\n    _2\n");
  Any copy = e;
  EXPECT_TRUE(copy.deepEquals(e));
  EXPECT_FALSE(copy.deepEquals((_1 * 3.0f) - Exp(_2)));
  const Expr &expr = e;
  EXPECT_TRUE(expr.isA<BinaryOp>());
  EXPECT_EQ(expr.getAs<BinaryOp>()->getOpType(), BinaryOpType::SUBTRACT);
  EXPECT_EQ(Const(-3).getDataAsDouble(), -3);
  EXPECT_THROW(Const(1.5f).getDataForUnsignedIntegral(), poputil::poplibs_error);
  EXPECT_EQ((1.5_half).getType(), HALF);
  Session s(4);
  const auto f = s.graph.addVariable(FLOAT, {2}), h = s.graph.addVariable(HALF, {2});
  EXPECT_EQ(e.name({f, f}), e.name({f, f}));
  EXPECT_NE(e.name({f, f}), e.name({h, h}));
}
