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

TEST(TileMap, ManyAssignmentsBeforeAQuestionEqualAPlainArray) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    TileMap map;
    std::vector<std::uint32_t> plain(50, none), got(50, 77);
    for (int n = 0; n < 3 + round % 20; ++n) {
      auto begin = random() % 50, end = begin + random() % (51 - begin), tile = random() % 3;
      map.set(begin, end, tile);
      std::fill(plain.begin() + begin, plain.begin() + end, tile);
    }
    map.forEach(0, 50,
                [&](auto b, auto e, auto t) { std::fill(got.begin() + b, got.begin() + e, t); });
    ASSERT_EQ(got, plain);
    const auto &list = map.list();
    for (std::size_t i = 1; i < list.size(); ++i)
      ASSERT_TRUE(list[i - 1].end < list[i].begin ||
                  (list[i - 1].end == list[i].begin && list[i - 1].tile != list[i].tile));
  }
}

TEST(TileMap, NeighboursOnOneTileAreOneRange) {
  TileMap map;
  map.set(0, 10, 3);
  map.set(20, 30, 3);
  map.set(10, 20, 3);
  EXPECT_EQ(map.list(), (std::vector<MappedRange>{{0, 30, 3}}));
}
