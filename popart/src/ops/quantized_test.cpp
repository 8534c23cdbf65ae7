// SPDX-License-Identifier: MIT
// Products and convolutions of eight-bit integers: exact, whatever their length.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {
Doubles integers(Model &m, std::int64_t n, double lo, double hi) {
  auto out = m.random(n, lo, hi);
  for (auto &v : out)
    v = std::round(v);
  return out;
}
} // namespace

TEST(MatMulIntegerOp, IsExactForLongSumsOfTheLargestValues) {
  const std::int64_t rows = 3, k = 700, n = 4;
  Model m;
  Doubles av(std::size_t(rows * k), 255), bv(std::size_t(k * n), -128);
  av[0] = 254; // the sums differ in their last bit
  const auto a = m.input({rows, k}, av, DataType::UINT8), b = m.input({k, n}, bv, DataType::INT8),
             az = m.input({rows}, {0, 1, 2}, DataType::UINT8),
             bz = m.input({n}, {127, 0, -1, 5}, DataType::INT8);
  const auto y = m.b.op("MatMulInteger", {a, b, az, bz});
  EXPECT_EQ(m.graph[y].info, TensorInfo(DataType::INT32, {rows, n}));
  Doubles want;
  const Doubles azs = m.fed(az), bzs = m.fed(bz);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < k; ++l)
        sum += (av[std::size_t(i * k + l)] - azs[std::size_t(i)]) *
               (bv[std::size_t(l * n + j)] - bzs[std::size_t(j)]);
      want.push_back(sum);
    }
  expectNear(m.run(y), want, 0, 0);
}

TEST(MatMulIntegerOp, MultipliesGroupsWithOneZeroPoint) {
  Model m;
  const auto a = m.input({2, 2, 3}, integers(m, 12, -128, 127), DataType::INT8),
             b = m.input({2, 3, 2}, integers(m, 12, 0, 255), DataType::UINT8),
             bz = m.input({}, {100}, DataType::UINT8);
  const auto av = m.fed(a), bv = m.fed(b);
  Doubles want;
  for (std::size_t g = 0; g < 2; ++g)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        double sum = 0;
        for (std::size_t l = 0; l < 3; ++l)
          sum += av[(g * 2 + i) * 3 + l] * (bv[(g * 3 + l) * 2 + j] - 100);
        want.push_back(sum);
      }
  expectNear(m.run(m.b.op("MatMulInteger", {a, b, ir::none, bz})), want, 0, 0);
}

TEST(ConvIntegerOp, IsExactOverManyChannelsInGroups) {
  const std::size_t channels = 80, out = 4, size = 5, k = 3; // 40 * 9 terms in a sum
  Model m;
  const auto x = m.input({1, 80, 5, 5}, integers(m, 2000, 0, 255), DataType::UINT8),
             w = m.input({4, 40, 3, 3}, integers(m, 1440, -128, 127), DataType::INT8),
             xz = m.input({}, {3}, DataType::UINT8),
             wz = m.input({4}, {1, -2, 127, 0}, DataType::INT8);
  const auto y = m.b.op("ConvInteger", {x, w, xz, wz},
                        {{"group", std::int64_t(2)},
                         {"pads", ir::Integers{1, 1, 1, 1}},
                         {"strides", ir::Integers{2, 2}}});
  const auto xv = m.fed(x), wv = m.fed(w), zeros = m.fed(wz);
  Doubles want;
  for (std::size_t o = 0; o < out; ++o)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        double sum = 0;
        for (std::size_t c = 0; c < channels / 2; ++c)
          for (std::size_t p = 0; p < k * k; ++p) {
            const auto r = 2 * i + p / k - 1, s = 2 * j + p % k - 1; // wraps below zero
            if (r < size && s < size)
              sum += (xv[(o / 2 * 40 + c) * 25 + r * 5 + s] - 3) *
                     (wv[(o * 40 + c) * 9 + p] - zeros[o]);
          }
        want.push_back(sum);
      }
  expectNear(m.run(y), want, 0, 0);
}

TEST(QLinearMatMulOp, RoundsSaturatesAndMoves) {
  Model m; // the example of the ONNX documentation
  const auto scalar = [&](double v) { return m.input({1}, {v}); };
  const auto zero = [&](double v) { return m.input({1}, {v}, DataType::UINT8); };
  const auto a = m.input({2, 4}, {208, 236, 0, 238, 3, 214, 255, 29}, DataType::UINT8),
             b = m.input({4, 3}, {152, 51, 244, 60, 26, 255, 0, 127, 246, 127, 254, 247},
                         DataType::UINT8);
  const auto y = m.b.op("QLinearMatMul", {a, scalar(0.0066), zero(113), b, scalar(0.00705),
                                          zero(114), scalar(0.0107), zero(118)});
  EXPECT_EQ(m.graph[y].info, TensorInfo(DataType::UINT8, {2, 3}));
  expectNear(m.run(y), {168, 115, 255, 1, 66, 151}, 0, 0);
}

TEST(QLinearConvOp, AddsABiasAndScalesChannels) {
  Model m;
  const auto x = m.input({1, 1, 2, 2}, {10, 20, 30, 40}, DataType::UINT8),
             w = m.input({2, 1, 1, 1}, {3, -2}, DataType::INT8),
             bias = m.input({2}, {5, 100}, DataType::INT32);
  const auto one = [&](double v, DataType t = DataType::FLOAT) { return m.input({}, {v}, t); };
  const auto y =
      m.b.op("QLinearConv", {x, one(0.5), one(10, DataType::UINT8), w, m.input({2}, {1, 0.25}),
                             one(0, DataType::INT8), one(2), one(7, DataType::UINT8), bias});
  // ((x - 10) w + bias) * 0.5 * scale / 2 + 7
  expectNear(m.run(y), {8, 16, 23, 31, 13, 12, 11, 9}, 0, 0);
}

TEST(ConvIntegerOp, RefusesKernelsTooLargeToBeExact) {
  Model m;
  const auto x = m.input({1, 1, 20, 20}, Doubles(400, 1), DataType::UINT8),
             w = m.input({1, 1, 17, 17}, Doubles(289, 1), DataType::UINT8);
  try {
    m.b.op("ConvInteger", {x, w});
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "ConvInteger: a kernel [17,17] has more than 256 elements: its sums "
                           "would not be exact.");
  }
}

TEST(ConvIntegerOp, OfNoChannelsIsZero) {
  Model m;
  const auto x = m.input({1, 0, 4, 4}, {}, DataType::UINT8),
             w = m.input({2, 0, 3, 3}, {}, DataType::INT8);
  expectNear(m.run(m.b.op("ConvInteger", {x, w})), Doubles(8, 0), 0, 0);
  const auto a = m.input({2, 0}, {}, DataType::INT8), b = m.input({0, 3}, {}, DataType::INT8);
  expectNear(m.run(m.b.op("MatMulInteger", {a, b})), Doubles(6, 0), 0, 0);
}
