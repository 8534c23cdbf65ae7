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

// Random values as 8 bits hold them, against plain loops: 3x3, stride 2, padding 1, two groups.
TEST(Quarter, RandomConvolutionsAndWeightGradientsMatchPlainLoops) {
  using Format = QuarterMetadata::Format;
  constexpr std::size_t B = 2, G = 2, I = 3, O = 4, N = 7, K = 3, M = 4;
  Quarters q;
  auto &s = q.s;
  poplin::ConvParams params(QUARTER, HALF, B, {N, N}, {K, K}, I, O, G);
  params.inputTransform.paddingLower = params.inputTransform.paddingUpper = {1, 1};
  params.outputTransform.stride = {2, 2};
  const auto random = [&](const Shape &shape, signed char scale, Format format) {
    const auto t = q.make(shape, s.random(count(shape), -3, 3), scale, format);
    return std::pair{t, s.output(popops::cast(s.graph, t, FLOAT, s.prog))};
  };
  const auto [x, xs] = random({B, G * I, N, N}, -2, Format::F143);
  const auto [w, ws] = random({G, O, I, K, K}, 1, Format::F152);
  const auto [dy, dys] = random({B, G * O, M, M}, 0, Format::F152);
  const auto y = poplin::convolution(s.graph, x, w, params, false, s.prog);
  const auto dw = poplin::calculateWeightDeltas(s.graph, dy, x, params, s.prog);
  EXPECT_EQ(dw.elementType(), HALF);
  const auto ys = s.output(y), dws = s.output(dw);
  s.run();
  const auto &xv = s.values(xs), &wv = s.values(ws), &dyv = s.values(dys);
  Doubles expected(B * G * O * M * M), gradient(G * O * I * K * K);
  // body(output, input, weight) of every product
  const auto forAll = [&](auto body) {
    for (std::size_t b = 0; b < B; ++b)
      for (std::size_t go = 0; go < G * O; ++go)
        for (std::size_t i = 0; i < I; ++i)
          for (std::size_t at = 0; at < M * M; ++at)
            for (std::size_t k = 0; k < K * K; ++k) {
              const auto r = 2 * (at / M) + k / K, c = 2 * (at % M) + k % K; // of the padded image
              if (r < 1 || c < 1 || r > N || c > N)
                continue;
              const auto channel = b * G * I + go / O * I + i;
              body((b * G * O + go) * M * M + at, (channel * N + r - 1) * N + c - 1,
                   (go * I + i) * K * K + k);
            }
  };
  forAll([&](auto to, auto from, auto weight) {
    expected[to] += xv[from] * wv[weight];
    gradient[weight] += xv[from] * dyv[to];
  });
  const auto near = [](const Doubles &got, const Doubles &want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], want[i], 0.001 * std::fabs(want[i]) + 1e-3) << i;
  };
  near(s.values(ys), expected);
  near(s.values(dws), gradient);
}
