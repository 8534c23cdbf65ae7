// SPDX-License-Identifier: MIT
#include "popsparse/experimental/BlockSparseMatMul.hpp"
#include "poputil/exceptions.hpp"
#include "TestMatrices.hpp"

using namespace popsparse::experimental;
using Mask = std::vector<unsigned char>;

static Mask randomMask(std::size_t blocks, unsigned seed) {
  std::mt19937 random(seed);
  Mask mask(blocks);
  for (auto &byte : mask)
    byte = random() % 3 == 0;
  mask[0] = 1;
  return mask;
}
// Blocks of a mask, one after the other, as a dense matrix.
static Doubles spread(const Doubles &values, const Mask &mask, std::size_t rows,
                      std::size_t columns, std::size_t r, std::size_t c, double missing = 0) {
  Doubles out(rows * columns, missing);
  std::size_t at = 0;
  for (std::size_t b = 0; b < mask.size(); ++b)
    if (mask[b])
      for (std::size_t e = 0; e < r * c; ++e)
        out[(b / (columns / c) * r + e / c) * columns + b % (columns / c) * c + e % c] =
            values[at++];
  return out;
}
static Doubles pick(const Doubles &full, const Mask &mask, std::size_t columns, std::size_t r,
                    std::size_t c) {
  Doubles out;
  for (std::size_t b = 0; b < mask.size(); ++b)
    if (mask[b])
      for (std::size_t e = 0; e < r * c; ++e)
        out.push_back(
            full[(b / (columns / c) * r + e / c) * columns + b % (columns / c) * c + e % c]);
  return out;
}
static std::size_t ones(const Mask &mask) {
  return std::size_t(std::count(mask.begin(), mask.end(), 1));
}

TEST(BlockSparseMatMul, SparseOperandsAgreeWithDenseLoops) {
  Session s(16);
  struct Expected {
    std::size_t output;
    Doubles values;
  };
  std::vector<Expected> all;
  const std::size_t m = 24, k = 32, n = 48;
  for (auto type : {poplar::FLOAT, poplar::HALF})
    for (bool stored : {false, true}) {
      const std::size_t bk = 8, bn = 16, rows = stored ? n : k, columns = stored ? k : n,
                        r = stored ? bn : bk, c = stored ? bk : bn;
      auto mask = randomMask(k / bk * (n / bn), 3);
      BSMatMulParams params({{int(m), int(k), int(n)}}, {{8, int(bk), int(bn)}}, mask, stored, type,
                            poplar::FLOAT, poplar::FLOAT);
      auto a = createBSMatMulInputLHS(s.graph, params, "a");
      auto b = createBSMatMulInputRHS(s.graph, params, "b");
      EXPECT_EQ(b.shape(), (Shape{ones(mask), bk * bn}));
      auto as = s.integers(m * k, -4, 4), bs = s.integers(b.numElements(), -4, 4);
      s.set(a, as);
      s.set(b, bs);
      auto full = spread(bs, mask, rows, columns, r, c);
      all.push_back(
          {s.output(bsMatMul(s.graph, params, s.prog, a, b, {{"partitionMethod", "strip"}})),
           product(as, stored ? transposed(full, n, k) : full, m, k, n)});
      all.push_back({s.output(bsMatMul(s.graph, params, s.prog, a, b, {{"numberOfPass", "5"}})),
                     all.back().values});
    }
  s.run();
  for (const auto &e : all)
    EXPECT_EQ(s.values(e.output), e.values);
}

TEST(BlockSparseMatMul, SparseResultsHaveTheirBlocksAndGroups) {
  Session s(16);
  const std::size_t m = 16, k = 24, n = 32;
  auto one = randomMask(4 * 4, 5), two = randomMask(4 * 4, 6), both = one;
  both.insert(both.end(), two.begin(), two.end());
  BSMatMulParams params({{16, 24, 32}}, {{4, 8, 8}}, both, poplar::FLOAT, poplar::FLOAT,
                        poplar::FLOAT, SubBlockMask::ZeroUpperTriangle, 2);
  auto a = createBSMatMulInputLHS(s.graph, params, "a");
  auto b = createBSMatMulInputRHS(s.graph, params, "b");
  EXPECT_EQ(a.shape(), (Shape{2, m, k}));
  auto as = s.integers(2 * m * k, -4, 4), bs = s.integers(2 * k * n, -4, 4);
  s.set(a, as);
  s.set(b, bs);
  auto y = s.run(bsMatMul(s.graph, params, s.prog, a, b));
  Doubles expected;
  for (std::size_t g = 0; g < 2; ++g) {
    auto full = product(Doubles(as.begin() + g * m * k, as.begin() + (g + 1) * m * k),
                        Doubles(bs.begin() + g * k * n, bs.begin() + (g + 1) * k * n), m, k, n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = i + 1; j < n; ++j)
        full[i * n + j] = 0;
    auto part = pick(full, g ? two : one, n, 4, 8);
    expected.insert(expected.end(), part.begin(), part.end());
  }
  EXPECT_EQ(y, expected);
}

TEST(BlockSparseSoftmax, RowsAddUpToOneAndGradientsAgreeWithDifferences) {
  Session s(16);
  const std::size_t rows = 16, columns = 32, r = 4, c = 8;
  auto mask = randomMask(rows / r * (columns / c), 11);
  const std::size_t blocks = ones(mask);
  auto values = s.random(blocks * r * c, -3, 3);
  auto x = s.input(poplar::FLOAT, {blocks, r * c}, values);
  auto inPlace = s.input(poplar::HALF, {blocks, r * c}, values);
  auto gs = s.random(blocks * r * c);
  auto g = s.input(poplar::FLOAT, {blocks, r * c}, gs);
  const auto zero = SubBlockMask::ZeroUpperTriangle;
  auto y = bsSoftmax(s.graph, x, {{16, 32}}, {{4, 8}}, mask, zero, s.prog);
  auto dx = bsSoftmaxGrad(s.graph, y, g, {{16, 32}}, {{4, 8}}, mask, s.prog);
  bsSoftmaxInPlace(s.graph, inPlace, {{16, 32}}, {{4, 8}}, mask, SubBlockMask::None, 1, s.prog);
  auto i = s.output(y), j = s.output(dx), h = s.output(inPlace);
  s.run();
  const auto softmax = [&](const Doubles &in, bool triangle) {
    auto full = spread(in, mask, rows, columns, r, c, -INFINITY);
    for (std::size_t a = 0; a < rows; ++a) {
      double sum = 0;
      for (std::size_t b = 0; b < columns; ++b) {
        auto &v = full[a * columns + b];
        v = triangle && b > a ? 0 : std::exp(v);
        sum += v;
      }
      for (std::size_t b = 0; b < columns; ++b)
        full[a * columns + b] = sum > 0 ? full[a * columns + b] / sum : 0;
    }
    return pick(full, mask, columns, r, c);
  };
  expectClose(s.values(i), softmax(values, true), 1e-5, 1e-7);
  expectClose(s.values(h), softmax(values, false), 2e-2, 1e-4);
  for (std::size_t e = 0; e < values.size(); e += 17) {
    auto up = values, down = values;
    up[e] += 1e-4;
    down[e] -= 1e-4;
    auto a = softmax(up, true), b = softmax(down, true);
    double slope = 0;
    for (std::size_t o = 0; o < a.size(); ++o)
      slope += (a[o] - b[o]) / 2e-4 * gs[o];
    EXPECT_NEAR(s.values(j)[e], slope, 1e-5);
  }
}

TEST(BlockSparse, BadArgumentsAreRefused) {
  Session s(4);
  using poputil::poplibs_error;
  const auto F = poplar::FLOAT, H = poplar::HALF;
  EXPECT_THROW(BSMatMulParams({{8, 8, 8}}, {{4, 4, 4}}, Mask(3, 1), false, F, F, F), poplibs_error);
  EXPECT_THROW(BSMatMulParams({{8, 8, 8}}, {{4, 4, 4}}, Mask(4, 1), false, H, H, H), poplibs_error);
  EXPECT_THROW(BSMatMulParams({{8, 8, 8}}, {{4, 4, 4}}, Mask(4, 1), false, F, F, H), poplibs_error);
  EXPECT_THROW(BSMatMulParams({{8, 8, 8}}, {{4, 3, 4}}, Mask(4, 1), false, F, F, F), poplibs_error);
  BSMatMulParams params({{8, 8, 8}}, {{4, 4, 4}}, Mask(4, 1), false, F, F, F);
  auto a = createBSMatMulInputLHS(s.graph, params, "a");
  auto b = createBSMatMulInputRHS(s.graph, params, "b");
  EXPECT_THROW(bsMatMul(s.graph, params, s.prog, b, a), poplibs_error);
  EXPECT_THROW(bsMatMul(s.graph, params, s.prog, a, b, {{"partitionMethod", "x"}}),
               poplar::invalid_option);
  EXPECT_THROW(bsMatMul(s.graph, params, s.prog, a, b, {{"memoryCycleRatio", "2"}}),
               poplar::invalid_option);
  EXPECT_THROW(bsMatMul(s.graph, params, s.prog, a, b, {{"numberOfPass", "0"}}),
               poplar::invalid_option);
  EXPECT_THROW(bsSoftmax(s.graph, b, {{8, 8}}, {{4, 4}}, Mask(4, 0), SubBlockMask::None, s.prog),
               poplibs_error);
  EXPECT_TRUE(s.prog.isEmpty());
}
