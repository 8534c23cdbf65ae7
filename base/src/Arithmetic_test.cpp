// SPDX-License-Identifier: MIT
#include "base/Arithmetic.hpp"
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace base {
namespace {

TEST(Arithmetic, RoundsUp) {
  EXPECT_EQ(ceilDiv(0u, 4u), 0u);
  EXPECT_EQ(ceilDiv(4u, 4u), 1u);
  EXPECT_EQ(ceilDiv(5u, 4u), 2u);
  EXPECT_EQ(roundUp(0u, 8u), 0u);
  EXPECT_EQ(roundUp(9u, 8u), 16u);
}

TEST(Arithmetic, IsWide) {
  EXPECT_EQ(roundUp(4294967295u, 4096u), std::uint64_t(1) << 32);
  EXPECT_EQ(ceilDiv(4294967295u, 2), std::uint64_t(1) << 31);
}

TEST(Arithmetic, RefusesSignedNumbers) {
  static_assert(UnsignedPair<unsigned, int> && !UnsignedPair<int, int>);
  static_assert(!UnsignedPair<std::int64_t, unsigned>);
}

TEST(Arithmetic, DoesNotOverflow) {
  const auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(ceilDiv(most, most), 1u);
  EXPECT_EQ(ceilDiv(most, 2u), most / 2 + 1);
}

} // namespace
} // namespace base
