// SPDX-License-Identifier: MIT
#include "analysis/RangeSet.hpp"
#include <gtest/gtest.h>
#include <random>

using poplar::analysis::Range;
using poplar::analysis::RangeSet;

static RangeSet set(std::vector<Range> ranges) {
  RangeSet s;
  for (auto r : ranges)
    s.add(r.begin, r.end);
  return s;
}

TEST(RangeSet, MergesNeighboursAddedInAnyOrder) {
  EXPECT_EQ(set({{0, 3}, {3, 5}}).ranges(), (std::vector<Range>{{0, 5}}));
  EXPECT_EQ(set({{8, 9}, {0, 3}, {2, 8}}).ranges(), (std::vector<Range>{{0, 9}}));
  EXPECT_EQ(set({{4, 6}, {0, 2}, {5, 5}}).ranges(), (std::vector<Range>{{0, 2}, {4, 6}}));
}

TEST(RangeSet, AnswersLikeASetOfElements) {
  auto bit = [](unsigned mask, unsigned i) { return mask >> i & 1; };
  auto fromMask = [&](unsigned mask) {
    RangeSet s;
    for (unsigned i = 8; i-- > 0;)
      if (bit(mask, i))
        s.add(i, i + 1);
    return s;
  };
  for (unsigned a = 0; a != 256; ++a)
    for (unsigned b = 0; b < 256; b += 3) {
      auto u = fromMask(a), d = fromMask(a), n = fromMask(a);
      u.unite(fromMask(b));
      d.subtract(fromMask(b));
      n.intersect(fromMask(b));
      EXPECT_EQ(u, fromMask(a | b));
      EXPECT_EQ(d, fromMask(a & ~b));
      EXPECT_EQ(n, fromMask(a & b));
      EXPECT_EQ(u.size(), unsigned(__builtin_popcount(a | b)));
      EXPECT_EQ(fromMask(a).covers(2, 5), (a & 0x1c) == 0x1c);
      EXPECT_EQ(fromMask(a).intersects(2, 5), (a & 0x1c) != 0);
    }
}

// Long enough for many chunks: they are cut, emptied and joined at every place.
TEST(RangeSet, AnswersLikeASetOfElementsWhenItIsLarge) {
  constexpr unsigned elements = 6000;
  std::mt19937 random(1);
  std::vector<bool> expected(elements, false);
  RangeSet s;
  for (unsigned round = 0; round != 6000; ++round) {
    // Small pieces everywhere; now and then a stretch over several chunks, taken away at the end.
    const unsigned length = round % 500 == 499 ? 2500 : 1 + random() % 3;
    const unsigned begin = random() % (elements - length), end = begin + length;
    const bool in = random() % 100 < (round < 4000 ? 70 : 20);
    in ? s.add(begin, end) : s.remove(begin, end);
    std::fill(expected.begin() + begin, expected.begin() + end, in);
    if (round % 100 == 99) {
      std::vector<Range> runs;
      for (unsigned i = 0; i != elements; ++i)
        if (expected[i]) {
          if (i == 0 || !expected[i - 1])
            runs.push_back({i, i});
          runs.back().end = i + 1;
        }
      ASSERT_EQ(s.ranges(), runs) << "round " << round;
    }
  }
}

TEST(RangeSet, IsEqualToItselfUnitedAndEmptyWithoutItself) {
  auto s = set({{0, 3}, {5, 6}});
  s.unite(s);
  EXPECT_EQ(s, set({{0, 3}, {5, 6}}));
  s.subtract(s);
  EXPECT_TRUE(s.empty());
  EXPECT_FALSE(s.intersects(0, 10));
}
