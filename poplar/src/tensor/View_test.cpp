// SPDX-License-Identifier: MIT
// Every view operation against a list of elements that is moved one by one.
#include "tensor/ViewOracle.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::tensor;
using namespace poplar::tensor::oracle;

TEST(View, AnySequenceOfOperationsNamesTheSameElementsAsMovingThemOneByOne) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Sweep sweep(seed);
    auto p = variable(0, {sweep.pick(1, 6), sweep.pick(1, 6), sweep.pick(1, 4)});
    for (unsigned n = 0; n < 8; ++n) {
      p = sweep.step(p);
      ASSERT_EQ(p.view.shape, p.naive.shape) << "seed " << seed << " step " << n;
      ASSERT_EQ(elementsOf(p.view), p.naive.elements) << "seed " << seed << " step " << n;
      std::size_t boxes = 0;
      for (auto &piece : p.view.pieces) {
        std::size_t size = 1, walk = 1;
        for (auto &range : piece.box)
          size *= range.extent;
        for (auto &loop : piece.loops)
          walk *= loop.extent;
        ASSERT_EQ(size, walk) << "seed " << seed;
        boxes += size;
      }
      ASSERT_EQ(boxes, p.view.numElements());
    }
  }
}

TEST(View, RegularViewsOfAHugeTensorStayOnePiece) {
  auto v = wholeVariable(nullptr, VarId(0), TypeId::Float, {4096, 4096});
  auto t = dimShuffle(v, {1, 0});
  EXPECT_EQ(t.pieces.size(), 1u);
  EXPECT_EQ(flatten(t).pieces.size(), 1u);
  EXPECT_EQ(reshape(flatten(t), {64, 64, 4096}).pieces.size(), 1u);
  EXPECT_EQ(broadcast(flatten(t), 3, 0).pieces.size(), 1u);
  auto halves = concat({&t, &v}, 1);
  EXPECT_EQ(halves.pieces.size(), 2u);
  EXPECT_EQ(slice(halves, 100, 200, 0).pieces.size(), 2u);
  EXPECT_LE(slice(flatten(t), 5, 16000000, 0).pieces.size(), 3u);
}

TEST(View, ConcatOfNeighboursIsContiguous) {
  auto v = wholeVariable(nullptr, VarId(0), TypeId::Float, {100});
  auto a = slice(v, 0, 40, 0), b = slice(v, 40, 100, 0);
  EXPECT_TRUE(isContiguous(concat({&a, &b}, 0)));
  EXPECT_FALSE(isContiguous(concat({&b, &a}, 0)));
}

TEST(View, AliasesAreSeenInBroadcastsAndInRepeatedSlices) {
  auto v = wholeVariable(nullptr, VarId(0), TypeId::Float, {4, 4});
  auto a = slice(v, 0, 2, 0), b = slice(v, 1, 3, 0);
  EXPECT_TRUE(containsAliases(broadcast(v, 2, 0)));
  EXPECT_TRUE(containsAliases(concat({&a, &b}, 0)));
  EXPECT_FALSE(containsAliases(dimShuffle(v, {1, 0})));
  EXPECT_FALSE(containsAliases(reverse(v, 1)));
}

TEST(View, SortedRangesCoverEachElementOnce) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Sweep sweep(seed);
    auto p = variable(0, {sweep.pick(1, 6), sweep.pick(1, 6)});
    for (unsigned n = 0; n < 6; ++n)
      p = sweep.step(p);
    std::vector<std::pair<unsigned, std::int64_t>> expected, got;
    for (auto &e : p.naive.elements)
      expected.emplace_back(e.var.value, e.at);
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    EXPECT_EQ(containsAliases(p.view), expected.size() != p.naive.elements.size()) << seed;
    for (auto &r : sortedRanges(p.view))
      for (auto i = r.begin; i < r.end; ++i)
        got.emplace_back(r.var.value, i);
    ASSERT_EQ(got, expected) << seed;
  }
}
