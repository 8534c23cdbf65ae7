// SPDX-License-Identifier: MIT
#include "graph/TileMap.hpp"
#include <gtest/gtest.h>
#include <random>

using poplar::executable::MappedRange;
using poplar::executable::none;
using poplar::graph::TileMap;

TEST(TileMap, AnySeriesOfAssignmentsEqualsAPlainArray) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    TileMap map;
    std::vector<std::uint32_t> plain(60, none);
    for (int n = 0; n < 25; ++n) {
      auto begin = random() % 60, end = begin + random() % (61 - begin), tile = random() % 4;
      map.set(begin, end, tile);
      std::fill(plain.begin() + begin, plain.begin() + end, tile);
      std::vector<std::uint32_t> got(60, 77);
      map.forEach(0, 60,
                  [&](auto b, auto e, auto t) { std::fill(got.begin() + b, got.begin() + e, t); });
      ASSERT_EQ(got, plain);
      auto b = random() % 60, e = b + random() % (61 - b);
      std::uint64_t next = b;
      map.forEach(b, e, [&](auto from, auto to, auto t) {
        ASSERT_EQ(from, next);
        for (auto i = from; i < to; ++i)
          ASSERT_EQ(plain[i], t);
        next = to;
      });
      ASSERT_EQ(next, e);
    }
  }
}

TEST(TileMap, NeighboursOnOneTileAreOneRange) {
  TileMap map;
  map.set(0, 10, 3);
  map.set(20, 30, 3);
  map.set(10, 20, 3);
  EXPECT_EQ(map.list(), (std::vector<MappedRange>{{0, 30, 3}}));
}
