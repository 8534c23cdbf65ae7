// SPDX-License-Identifier: MIT
#include "analysis/repeats.hpp"
#include <gtest/gtest.h>

using namespace popart::analysis;

// Every stretch of them repeats, at every place.
TEST(Repeats, AreFewInALongChainOfEqualNodes) {
  constexpr std::uint32_t n = 2000;
  std::size_t places = 0, best = 0;
  for (const auto &repeat : findRepeats(std::vector<std::uint32_t>(n, 0), 4000)) {
    places += repeat.places.size();
    if (repeat.length == 1)
      best = std::max(best, repeat.places.size());
  }
  EXPECT_EQ(best, n);         // what is worth most to know
  EXPECT_LT(places, 500 * n); // of n * n
}
