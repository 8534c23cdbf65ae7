// SPDX-License-Identifier: MIT
#include "compile/RangeSet.hpp"
#include <gtest/gtest.h>

using poplar::compile::Range;
using poplar::compile::RangeSet;

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
