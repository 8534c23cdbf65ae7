// SPDX-License-Identifier: MIT
// Every operator on integers and bools: exact.
#include "base/Text.hpp"
#include "Expected.hpp"
#include "popops/ElementWise.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/ExprOpUtils.hpp"

using namespace popops;
using namespace popops::expr;
using namespace poplar;

namespace {

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

} // namespace

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
