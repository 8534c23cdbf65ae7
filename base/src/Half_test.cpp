// SPDX-License-Identifier: MIT
#include "base/FloatMode.hpp"
#include "base/Half.hpp"
#include "base/testing/HalfByDefinition.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace base {
namespace {

using testing::defined;
using testing::nearest;

TEST(Half, AllBitPatternsSurviveTheWayThroughFloat) {
  std::vector<std::uint16_t> all(65536), back(65536);
  for (unsigned i = 0; i != 65536; ++i)
    all[i] = std::uint16_t(i);
  std::vector<float> floats(65536);
  halfToFloat(all.data(), floats.data(), all.size());
  floatToHalf(floats.data(), back.data(), back.size());
  for (unsigned i = 0; i != 65536; ++i) {
    if (std::isnan(defined(all[i]))) {
      EXPECT_TRUE(std::isnan(floats[i]) && std::isnan(defined(back[i])));
      continue;
    }
    ASSERT_EQ(floats[i], defined(all[i])) << i;
    ASSERT_EQ(back[i], all[i]) << i;
  }
}

TEST(Half, FloatsRoundToNearestEvenOneByOneAndInArrays) {
  std::mt19937 random(1);
  std::vector<float> values{
      0.f,           -0.f,           65504.f,        65519.9f,      65520.f,
      65536.f,       1e30f,          5.9604645e-8f,  2.9802322e-8f, 2.98023259e-8f,
      6.1035156e-5f, 1.00048828125f, 1.00146484375f, -2049.f,       2051.f};
  while (values.size() < 20003)
    if (const float f = std::bit_cast<float>(std::uint32_t(random())); !std::isnan(f))
      values.push_back(f);
  std::vector<std::uint16_t> halves(values.size());
  floatToHalf(values.data(), halves.data(), values.size());
  for (std::size_t i = 0; i != values.size(); ++i) {
    ASSERT_EQ(halves[i], nearest(values[i])) << values[i];
    ASSERT_EQ(floatToHalf(values[i]), halves[i]) << values[i];
  }
}

// Too large is what rounds to infinity without being it.
TEST(Half, TooLargeValuesBecomeTheLargestOrNanAndOthersStay) {
  std::mt19937 random(2);
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values{65504.f, 65505.f,  65519.99f, 65520.f, 1e8f, -65520.f,
                            -3e38f,  infinity, -infinity, NAN,     0.f,  -1.f};
  while (values.size() < 1003)
    values.push_back(std::bit_cast<float>(std::uint32_t(random())));
  for (auto overflow : {HalfOverflow::Infinite, HalfOverflow::Largest, HalfOverflow::Nan}) {
    auto limited = values;
    limitToHalf(limited.data(), limited.size(), overflow);
    for (std::size_t i = 0; i != values.size(); ++i) {
      const auto ieee = defined(nearest(values[i])), now = defined(nearest(limited[i]));
      const bool tooLarge = std::isinf(ieee) && !std::isinf(values[i]);
      if (!tooLarge || overflow == HalfOverflow::Infinite)
        ASSERT_TRUE(now == ieee || (std::isnan(limited[i]) && std::isnan(values[i]))) << values[i];
      else if (overflow == HalfOverflow::Nan)
        ASSERT_TRUE(std::isnan(limited[i])) << values[i];
      else
        ASSERT_EQ(now, std::copysign(65504.f, values[i]));
    }
  }
}

TEST(Half, InfinitiesAreFoundWhereverTheyAre) {
  for (std::size_t n : {1u, 15u, 16u, 33u, 100u}) {
    std::vector<std::uint16_t> halves(n, 0x7bff);
    halves[n / 2] = 0x7c01; // NaN
    EXPECT_FALSE(hasInfinity(halves.data(), n));
    for (std::size_t at = 0; at != n; ++at) {
      auto one = halves;
      one[at] = 0xfc00;
      EXPECT_TRUE(hasInfinity(one.data(), n));
      auto nan = one;
      limitInfinities(one.data(), n, HalfOverflow::Largest);
      limitInfinities(nan.data(), n, HalfOverflow::Nan);
      EXPECT_EQ(one[at], 0xfbff);
      EXPECT_EQ(nan[at], 0xfe00);
      EXPECT_FALSE(hasInfinity(one.data(), n) || hasInfinity(nan.data(), n));
    }
  }
}

TEST(Half, NotANumberStaysOneAndIsQuiet) {
  const float signalling = std::bit_cast<float>(0x7f800001u);
  EXPECT_EQ(floatToHalf(signalling) & 0x7e00, 0x7e00);
  std::vector<float> many(8, signalling);
  std::vector<std::uint16_t> halves(8);
  floatToHalf(many.data(), halves.data(), 8);
  EXPECT_EQ(halves[0], floatToHalf(signalling));
}

TEST(Half, MiddlesBetweenTwoHalvesGoToTheEvenOne) {
  std::vector<float> floats;
  for (unsigned i = 0; i < 0x7c00; ++i) { // each half, and around the middle to the next one
    const float low = halfToFloat(std::uint16_t(i));
    const float high = halfToFloat(std::uint16_t(i + 1));
    const float middle = i + 1 < 0x7c00 ? 0.5f * (low + high) : 65520.0f;
    for (float f : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f)})
      floats.insert(floats.end(), {f, -f});
  }
  floats.insert(floats.end(), {1e-30f, 1e30f, -1e30f, INFINITY, -INFINITY});
  std::vector<std::uint16_t> halves(floats.size());
  floatToHalf(floats.data(), halves.data(), floats.size());
  auto rounded = floats;
  roundToHalf(rounded.data(), rounded.size());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(halves[i], nearest(floats[i])) << floats[i];
    ASSERT_EQ(floatToHalf(floats[i]), halves[i]) << floats[i];
    ASSERT_EQ(rounded[i], float(defined(nearest(floats[i])))) << floats[i];
  }
}

} // namespace
} // namespace base

TEST(Half, DenormalHalvesSurviveWhereFloatDenormalsAreFlushed) {
  const base::FlushDenormals flushing;
  std::vector<std::uint16_t> halves, back;
  for (std::uint16_t h = 0; h < 0x400; ++h)
    halves.push_back(h);
  std::vector<float> floats(halves.size());
  back.resize(halves.size());
  base::halfToFloat(halves.data(), floats.data(), halves.size());
  base::floatToHalf(floats.data(), back.data(), floats.size());
  EXPECT_EQ(back, halves);
  EXPECT_EQ(base::halfToFloat(std::uint16_t(1)), 0x1p-24f);
  EXPECT_EQ(base::floatToHalf(0x1p-24f), 1);
}
