// SPDX-License-Identifier: MIT
#include "popops/Half.hpp"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {
std::uint16_t bitsOf(_Float16 h) {
  std::uint16_t bits;
  std::memcpy(&bits, &h, sizeof bits);
  return bits;
}
} // namespace

TEST(Half, AllPatternsWidenAndComeBackInBlocksAndOneByOne) {
  std::vector<std::uint16_t> halves(65536), back(65536);
  std::vector<float> floats(65536);
  for (unsigned i = 0; i < 65536; ++i)
    halves[i] = std::uint16_t(i);
  popops::halfToFloat(halves.data(), floats.data(), halves.size());
  popops::floatToHalf(floats.data(), back.data(), floats.size());
  for (unsigned i = 0; i < 65536; ++i) {
    _Float16 expected;
    std::memcpy(&expected, &halves[i], 2);
    if (std::isnan(float(expected))) {
      EXPECT_TRUE(std::isnan(floats[i]));
      EXPECT_TRUE(std::isnan(popops::halfToFloat(halves[i])));
      continue;
    }
    ASSERT_EQ(floats[i], float(expected)) << i;
    ASSERT_EQ(popops::halfToFloat(halves[i]), float(expected)) << i;
    ASSERT_EQ(back[i], halves[i]) << i;
    ASSERT_EQ(popops::floatToHalf(floats[i]), halves[i]) << i;
  }
}

TEST(Half, FloatsRoundToTheNearestEvenHalf) {
  std::vector<float> floats;
  for (unsigned i = 0; i < 0x7c00; ++i) { // each half, and around the middle to the next one
    const float low = popops::halfToFloat(std::uint16_t(i));
    const float high = popops::halfToFloat(std::uint16_t(i + 1));
    const float middle = i + 1 < 0x7c00 ? 0.5f * (low + high) : 65520.0f;
    for (float f : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f)})
      floats.insert(floats.end(), {f, -f});
  }
  floats.insert(floats.end(), {1e-30f, 1e30f, -1e30f, INFINITY, -INFINITY});
  std::vector<std::uint16_t> halves(floats.size());
  popops::floatToHalf(floats.data(), halves.data(), floats.size());
  auto rounded = floats;
  popops::roundToHalf(rounded.data(), rounded.size());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(halves[i], bitsOf(_Float16(floats[i]))) << floats[i];
    ASSERT_EQ(popops::floatToHalf(floats[i]), halves[i]) << floats[i]; // without instructions
    ASSERT_EQ(rounded[i], float(_Float16(floats[i]))) << floats[i];
  }
}
