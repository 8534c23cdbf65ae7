// SPDX-License-Identifier: MIT
// Every innermost loop of every kind of vector unit that this processor has, whichever of them it
// would choose, against plain sums. Buffers are exactly as large as what may be touched, so the
// sanitizers see a step too far.
#include "base/VectorUnit.hpp"
#include "matmul/Micro.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace poplin::micro {
namespace {

std::vector<std::pair<const char *, const Kernels *>> available() {
  std::vector<std::pair<const char *, const Kernels *>> all{{"base", &baseKernels()}};
  if (base::bestVectorUnit() >= base::VectorUnit::Avx2)
    all.push_back({"avx2", &avx2Kernels()});
  if (base::bestVectorUnit() >= base::VectorUnit::Avx512)
    all.push_back({"avx512", &avx512Kernels()});
  return all;
}

// Vectors of numbers that no two loops add up alike by chance.
std::vector<std::vector<float>> numbers(std::size_t count, std::size_t length, unsigned seed) {
  std::vector<std::vector<float>> out(count, std::vector<float>(length));
  unsigned state = seed;
  for (auto &v : out)
    for (auto &x : v)
      x = float(int((state = state * 1664525u + 1013904223u) >> 20) - 2048) / 1024.f;
  return out;
}

template <class T> auto pointers(T &arrays) {
  std::vector<decltype(arrays[0].data())> out;
  for (auto &a : arrays)
    out.push_back(a.data());
  return out;
}

void expectNear(float value, double sum, double before) {
  ASSERT_NEAR(value, sum + before, 1e-5 * (1 + std::fabs(sum) + std::fabs(before)));
}

void checkRows(const Kernels &kernels, unsigned v, unsigned r, bool accumulate, bool copied) {
  const std::size_t k = 5, steps = copied ? 1 : 3, width = v * kernels.lanes, ldb = width + 3;
  auto a = numbers(steps * r, k + 1, 1), c = numbers(r, width, 2);
  auto b = numbers(steps, 1 + (k - 1) * ldb + width, 3);
  const auto before = c;
  std::vector<float> copy(k * width);
  auto rows = pointers(std::as_const(a)), weights = pointers(std::as_const(b));
  auto targets = pointers(c);
  Rows work{rows.data(), steps, r, k, weights.data(), ldb, targets.data(), accumulate};
  work.copy = copied ? copy.data() : nullptr;
  work.aOffset = 1, work.bOffset = 1;
  kernels.rows[v][r](work);
  for (unsigned i = 0; i < r; ++i)
    for (std::size_t j = 0; j < width; ++j) {
      double sum = 0;
      for (std::size_t s = 0; s < steps; ++s)
        for (std::size_t l = 0; l < k; ++l)
          sum += double(a[s * r + i][1 + l]) * b[s][1 + l * ldb + j];
      expectNear(c[i][j], sum, accumulate ? before[i][j] : 0);
    }
  for (std::size_t l = 0; copied && l < k; ++l)
    for (std::size_t j = 0; j < width; ++j)
      ASSERT_EQ(copy[l * width + j], b[0][1 + l * ldb + j]);
}

void checkOuter(const Kernels &kernels, unsigned v, unsigned r, bool accumulate) {
  const std::size_t k = 7, lanes = kernels.lanes, step = lanes + 1, cStep = lanes + 2;
  auto a = numbers(k, 2 + r, 4), b = numbers(k, 1 + (v - 1) * step + lanes, 5);
  auto c = numbers(r, (v - 1) * cStep + lanes, 6);
  const auto before = c;
  auto left = pointers(std::as_const(a)), right = pointers(std::as_const(b));
  auto targets = pointers(c);
  kernels.outer[v][r](
      {left.data(), right.data(), k, 2, 1, step, targets.data(), accumulate, cStep});
  for (unsigned i = 0; i < r; ++i)
    for (std::size_t j = 0; j < c[i].size(); ++j) {
      const auto vector = j / cStep, lane = j % cStep;
      if (lane >= lanes) {
        ASSERT_EQ(c[i][j], before[i][j]);
        continue;
      }
      double sum = 0;
      for (std::size_t l = 0; l < k; ++l)
        sum += double(a[l][2 + i]) * b[l][1 + vector * step + lane];
      expectNear(c[i][j], sum, accumulate ? before[i][j] : 0);
    }
}

void checkDot(const Kernels &kernels, unsigned v, unsigned r, std::size_t length) {
  const std::int64_t aRun[] = {0, std::int64_t(length)}, bRun[] = {std::int64_t(length), 0};
  auto a = numbers(r, 2 * length, 7), b = numbers(v, 2 * length, 8);
  auto c = numbers(1, maxVectors * maxVectors, 9)[0];
  const auto before = c;
  auto left = pointers(std::as_const(a)), right = pointers(std::as_const(b));
  kernels.dot[v][r]({left.data(), right.data(), aRun, bRun, 2, length, c.data()});
  for (unsigned i = 0; i < maxVectors; ++i)
    for (unsigned j = 0; j < maxVectors; ++j) {
      double sum = 0;
      for (std::size_t run = 0; i < r && j < v && run < 2; ++run)
        for (std::size_t l = 0; l < length; ++l)
          sum += double(a[i][aRun[run] + l]) * b[j][bRun[run] + l];
      expectNear(c[i * maxVectors + j], sum, before[i * maxVectors + j]);
    }
}

TEST(MicroKernels, OfEveryVectorUnitAgreeWithPlainSums) {
  for (auto &[name, kernels] : available())
    for (unsigned v = 1; v <= maxVectors; ++v)
      for (unsigned r = 1; r <= maxRows; ++r) {
        SCOPED_TRACE(std::string(name) + ", vectors " + std::to_string(v) + ", rows " +
                     std::to_string(r));
        ASSERT_EQ(kernels->rows[v][r] != nullptr, r <= kernels->rowsFor[v]);
        if (kernels->rows[v][r])
          for (bool accumulate : {false, true}) {
            checkRows(*kernels, v, r, accumulate, false);
            checkRows(*kernels, v, r, accumulate, true);
            checkOuter(*kernels, v, r, accumulate);
          }
        if (r <= maxVectors && kernels->dot[v][r])
          for (std::size_t length : {1, 4, 7, 16, 37})
            checkDot(*kernels, v, r, length);
      }
}

// What the users of a table rely on without asking.
TEST(MicroKernels, HaveTheBlocksThatTheirUsersAskFor) {
  for (auto &[name, kernels] : available()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(maxLanes % kernels->lanes, 0u);
    for (unsigned v = 1; v < kernels->vectors; ++v) // the last panel is narrower, its rows are not
      EXPECT_GE(kernels->rowsFor[v], kernels->rowsFor[kernels->vectors]);
    for (unsigned side : {1, 2, 3})
      EXPECT_TRUE(kernels->dot[3][side] && kernels->dot[side][3]);
  }
}

TEST(VectorUnit, IsNamedAndWrongNamesAreRefused) {
  EXPECT_EQ(base::parseVectorUnit("avx512"), base::VectorUnit::Avx512);
  EXPECT_EQ(base::parseVectorUnit("avx2"), base::VectorUnit::Avx2);
  EXPECT_EQ(base::parseVectorUnit("base"), base::VectorUnit::Base);
  EXPECT_EQ(base::parseVectorUnit(""), base::VectorUnit::Avx512); // no limit
  EXPECT_THROW(base::parseVectorUnit("sse9"), std::invalid_argument);
  EXPECT_LE(base::vectorUnit(), base::bestVectorUnit());
}

} // namespace
} // namespace poplin::micro
