// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include <gtest/gtest.h>

using namespace base;

TEST(Text, ThousandsAreSetApart) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1234567), "1,234,567");
}

TEST(Text, ASwapOfNeighboursIsOneEdit) {
  EXPECT_EQ(editDistance("Scael", "Scale"), 1u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
}

TEST(Text, SuggestsTheNearestNamesAndNothingFarAway) {
  std::vector<std::string> names{"numIOTiles", "bufferingDepth", "Scale"};
  EXPECT_EQ(didYouMean("numIOTile", names), " Did you mean \"numIOTiles\"?");
  EXPECT_EQ(didYouMean("Scael", names), " Did you mean \"Scale\"?");
  EXPECT_EQ(didYouMean("banana", names), "");
}

TEST(Text, ListsHaveBrackets) {
  EXPECT_EQ(list(std::vector<int>{}), "[]");
  EXPECT_EQ(list(std::vector<int>{1, 2}), "[1,2]");
}
