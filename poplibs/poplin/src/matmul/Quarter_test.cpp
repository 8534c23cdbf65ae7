// SPDX-License-Identifier: MIT
#include "poplin/Convolution.hpp"
#include "poplin/MatMul.hpp"
#include "popops/Cast.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <poplar/MetadataCreation.hpp>

using namespace poplar;

namespace {

struct Quarters {
  Session s;
  Tensor make(const Shape &shape, const Doubles &values, signed char scale,
              QuarterMetadata::Format format = QuarterMetadata::Format::F143) {
    auto metadata = createConstantMetadataTensor(s.graph, format, scale);
    s.graph.setTileMapping(metadata, 0);
    return popops::cast(s.graph, s.input(FLOAT, shape, values), QUARTER, metadata, s.prog);
  }
};

} // namespace

// Small integers are exact in 8 bits, whatever the scale.
TEST(Quarter, ProductsOfEightBitFloatsAreHalf) {
  Quarters q;
  auto a = q.s.integers(3 * 4, -3, 3), b = q.s.integers(4 * 5, -3, 3);
  auto c = poplin::matMul(q.s.graph, q.make({3, 4}, a, 0), q.make({4, 5}, b, 1), q.s.prog);
  EXPECT_EQ(c.elementType(), HALF);
  Doubles expected(15);
  for (std::size_t i = 0; i < 60; ++i)
    expected[i / 20 * 5 + i % 5] += a[i / 20 * 4 + i / 5 % 4] * b[i / 5 % 4 * 5 + i % 5];
  EXPECT_EQ(q.s.run(c), expected);
  EXPECT_THROW(
      poplin::matMul(q.s.graph, q.make({3, 4}, a, 0), q.make({4, 5}, b, 1), q.s.prog, FLOAT),
      poputil::poplibs_error);
}

TEST(Quarter, ConvolutionsOfEightBitFloatsAreHalf) {
  Quarters q;
  auto x = q.s.integers(2 * 6, -3, 3), w = q.s.integers(3 * 2 * 2, -2, 2);
  poplin::ConvParams params(QUARTER, HALF, 1, {6}, {2}, 2, 3, 1);
  auto y = poplin::convolution(q.s.graph, q.make({1, 2, 6}, x, 0), q.make({1, 3, 2, 2}, w, 0),
                               params, false, q.s.prog);
  EXPECT_EQ(y.elementType(), HALF);
  Doubles expected(15);
  for (std::size_t o = 0; o < 3; ++o)
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t i = 0; i < 5; ++i)
          expected[o * 5 + i] += x[c * 6 + i + k] * w[(o * 2 + c) * 2 + k];
  EXPECT_EQ(q.s.run(y), expected);
}

// What the bytes of a tensor are worth, by the definition of the formats.
static Doubles decoded(const Doubles &bytes, bool f152, int scale) {
  Doubles out;
  for (double byte : bytes) {
    const int bits = int(byte), mantissa = f152 ? 2 : 3, bias = f152 ? 16 : 8;
    const int exponent = (bits & 0x7f) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
    const double steps = exponent ? fraction + (1 << mantissa) : fraction;
    const double value = std::ldexp(steps, std::max(exponent, 1) - bias - mantissa + scale);
    out.push_back(bits & 0x80 ? -value : value);
  }
  return out;
}

// Scales that no half could hold, which only their sum brings back.
TEST(Quarter, FormatsAndScalesMeetInTheProduct) {
  Quarters q;
  auto &s = q.s;
  const std::size_t m = 5, k = 19, n = 7;
  struct Case {
    bool f152;
    int scaleA, scaleB;
    std::size_t a, b, c;
  };
  std::vector<Case> cases;
  for (auto [f152, scaleA, scaleB] : {std::tuple{false, 0, 0},
                                      {true, 3, -2},
                                      {false, -32, 31},
                                      {true, 31, -31},
                                      {false, 20, -24}}) {
    const auto format = f152 ? QuarterMetadata::Format::F152 : QuarterMetadata::Format::F143;
    Doubles a = s.random(m * k, -4, 4), b = s.random(k * n, -4, 4);
    for (auto &v : a)
      v = std::ldexp(v, scaleA);
    for (auto &v : b)
      v = std::ldexp(v, scaleB);
    auto ta = q.make({m, k}, a, (signed char)scaleA, format),
         tb = q.make({n, k}, b, (signed char)scaleB, format).transpose();
    cases.push_back({f152, scaleA, scaleB, s.output(ta.reinterpret(UNSIGNED_CHAR)),
                     s.output(tb.reinterpret(UNSIGNED_CHAR)),
                     s.output(poplin::matMul(s.graph, ta, tb, s.prog))});
  }
  s.run();
  for (const auto &c : cases) {
    SCOPED_TRACE(c.scaleA);
    const auto a = decoded(s.values(c.a), c.f152, c.scaleA),
               b = decoded(s.values(c.b), c.f152, c.scaleB);
    Doubles expected(m * n, 0);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t x = 0; x < k; ++x)
          expected[i * n + j] += a[i * k + x] * b[x * n + j];
    expectClose(s.values(c.c), expected, 1e-3, 1e-3 * std::ldexp(1.0, c.scaleA + c.scaleB));
  }
}

TEST(Quarter, OperandsMayHaveNoMetadataAndOutputsBeGiven) {
  Session s;
  auto a = poplin::createMatMulInputLHS(s.graph, QUARTER, HALF, {3, 4}, {4, 5}, "a"),
       b = poplin::createMatMulInputRHS(s.graph, QUARTER, HALF, {3, 4}, {4, 5}, "b"),
       c = poplin::createMatMulOutput(s.graph, QUARTER, HALF, {3, 4}, {4, 5}, "c");
  EXPECT_EQ(c.elementType(), HALF);
  const auto x = s.integers(12, -3, 3), y = s.integers(20, -3, 3);
  popops::castWithOutput(s.graph, s.input(FLOAT, {3, 4}, x), a, s.prog);
  popops::castWithOutput(s.graph, s.input(FLOAT, {4, 5}, y), b, s.prog);
  poplin::matMulWithOutput(s.graph, a, b, c, s.prog);
  poplin::matMulAcc(s.graph, c, 2.0f, a, b, s.prog);
  Doubles expected(15);
  for (std::size_t i = 0; i < 60; ++i)
    expected[i / 20 * 5 + i % 5] += 3 * x[i / 20 * 4 + i / 5 % 4] * y[i / 5 % 4 * 5 + i % 5];
  EXPECT_EQ(s.run(c), expected);
}
