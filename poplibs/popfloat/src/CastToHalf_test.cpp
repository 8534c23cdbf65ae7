// SPDX-License-Identifier: MIT
// Every half, and floats around every step, against the type of codelets.
#include "popfloat/experimental/CastToHalf.hpp"
#include "popfloat/experimental/codelets.hpp"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <poplar/HalfFloat.hpp>

using popfloat::experimental::halfToSingle;
using popfloat::experimental::singleToHalf;

static std::uint16_t bitsOf(float value) {
  const poplar::half half = poplar::half(value);
  std::uint16_t bits;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}

TEST(CastToHalf, EveryHalfComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = halfToSingle(std::uint16_t(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE((bits & 0x7c00) == 0x7c00 && (bits & 0x3ff));
      EXPECT_TRUE(std::isnan(halfToSingle(singleToHalf(value))));
    } else if (std::isinf(value)) {
      EXPECT_EQ(bits & 0x7fff, 0x7c00u);
    } else {
      ASSERT_EQ(singleToHalf(value), bits);
      ASSERT_EQ(bitsOf(value), bits);
    }
  }
}

TEST(CastToHalf, RoundsToNearestEven) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const float low = halfToSingle(std::uint16_t(bits)),
                high = halfToSingle(std::uint16_t(bits + 1));
    const float middle = (low + high) / 2;
    for (float value : {middle, std::nextafter(middle, low), std::nextafter(middle, high), -middle,
                        low + (high - low) / 3})
      ASSERT_EQ(singleToHalf(value), bitsOf(value)) << value;
  }
  EXPECT_EQ(singleToHalf(1e-30f), 0u);
  EXPECT_EQ(singleToHalf(-1e-30f), 0x8000u);
}

TEST(CastToHalf, OverflowSaturatesOrBecomesNaN) {
  for (float value : {65520.0f, 1e10f, INFINITY}) {
    EXPECT_EQ(singleToHalf(value), 0x7bffu);
    EXPECT_EQ(singleToHalf(-value), 0xfbffu);
    EXPECT_TRUE(std::isnan(halfToSingle(singleToHalf(value, true))));
  }
  EXPECT_EQ(singleToHalf(65519.99f, true), 0x7bffu);
  EXPECT_TRUE(std::isnan(halfToSingle(singleToHalf(NAN))));
}
