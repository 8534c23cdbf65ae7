// SPDX-License-Identifier: MIT
// Linear mappings are visible to programs: sizes and tiles are checked exactly.
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "Session.hpp"

using poplar::Interval;
using Mapping = poplar::Graph::TileToTensorMapping;

static std::vector<std::size_t> sizes(const Mapping &mapping) {
  std::vector<std::size_t> out;
  for (const auto &regions : mapping) {
    out.push_back(0);
    for (const auto &region : regions)
      out.back() += region.size();
  }
  return out;
}

TEST(TileMapping, AThousandFloatsLieOnThirtyTilesOfAChip) {
  Session s(1472);
  auto t = s.graph.addVariable(poplar::FLOAT, {10, 100});
  poputil::mapTensorLinearly(s.graph, t);
  auto mapping = s.graph.getTileMapping(t);
  ASSERT_EQ(mapping.size(), 1472u);
  std::size_t at = 0;
  for (unsigned tile = 0; tile < 30; ++tile) {
    ASSERT_EQ(mapping[tile].size(), 1u);
    EXPECT_EQ(mapping[tile][0].begin(), at);
    EXPECT_TRUE(mapping[tile][0].size() == 32 || mapping[tile][0].size() == 34);
    EXPECT_EQ(at, tile * 500 / 30 * 2u);
    at = mapping[tile][0].end();
  }
  EXPECT_EQ(at, 1000u);
  for (unsigned tile = 30; tile < 1472; ++tile)
    EXPECT_TRUE(mapping[tile].empty());
}

TEST(TileMapping, LinearMappingAgreesWithVariablesMappedWhenTheyAreMade) {
  Session s(64);
  for (auto type : {poplar::FLOAT, poplar::HALF, poplar::BOOL, poplar::INT})
    for (std::size_t n : {0, 1, 31, 32, 33, 1000, 4096, 10007, 100000}) {
      auto a = s.graph.addVariable(type, {n}, poplar::VariableMappingMethod::LINEAR);
      auto b = s.graph.addVariable(type, {n});
      poputil::mapTensorLinearly(s.graph, b);
      EXPECT_EQ(s.graph.getTileMapping(a), s.graph.getTileMapping(b)) << n << type.toString();
    }
}

TEST(TileMapping, GrainAndMinimumShapeTheShares) {
  Session s(4);
  auto map = [&](std::size_t n, unsigned min, unsigned grain, unsigned offset = 0,
                 bool ascending = true) {
    return poputil::calcLinearTileMapping(s.graph, {n}, min, grain, offset, ascending);
  };
  EXPECT_EQ(sizes(map(8, 1, 1)), (std::vector<std::size_t>{2, 2, 2, 2}));
  EXPECT_EQ(sizes(map(10, 1, 4)), (std::vector<std::size_t>{4, 4, 2, 0}));
  EXPECT_EQ(sizes(map(10, 5, 1)), (std::vector<std::size_t>{5, 5, 0, 0}));
  EXPECT_EQ(sizes(map(3, 5, 1)), (std::vector<std::size_t>{3, 0, 0, 0}));
  EXPECT_EQ(map(8, 1, 1, 1)[1], (std::vector<Interval>{{0, 2}}));
  EXPECT_EQ(map(8, 1, 1, 1)[0], (std::vector<Interval>{{6, 8}}));
  // Downwards: the first share on the last tile less the offset, the next one below it.
  EXPECT_EQ(map(8, 1, 1, 0, false)[3], (std::vector<Interval>{{0, 2}}));
  EXPECT_EQ(map(8, 1, 1, 1, false)[2], (std::vector<Interval>{{0, 2}}));
  EXPECT_EQ(map(8, 1, 1, 1, false)[1], (std::vector<Interval>{{2, 4}}));
  EXPECT_EQ(map(8, 1, 1, 1, false)[3], (std::vector<Interval>{{6, 8}}));
}

TEST(TileMapping, TileNumbersTransformAndBack) {
  for (bool ascending : {true, false})
    for (unsigned offset : {0u, 1u, 6u, 20u})
      for (unsigned tile = 0; tile < 7; ++tile) {
        auto there = poputil::transformTileIndex(tile, 7, offset, ascending);
        EXPECT_EQ(poputil::invTransformTileIndex(there, 7, offset, ascending), tile);
      }
}

TEST(TileMapping, NewOffsetContinuesBehindTheLastTile) {
  Session s(8);
  auto t = s.graph.addVariable(poplar::FLOAT, {96}); // three tiles of 32
  auto [mapping, next] = poputil::calcLinearTileMappingAndNewOffset(s.graph, t, 6);
  EXPECT_EQ(sizes(mapping), (std::vector<std::size_t>{32, 0, 0, 0, 0, 0, 32, 32}));
  EXPECT_EQ(next, 1u);
}

TEST(TileMapping, OffsetOfAShapeIsStableAndInRange) {
  auto a = poputil::chooseMappingOffset(100, {3, 4}), b = poputil::chooseMappingOffset(100, {4, 3});
  EXPECT_LT(a, 100u);
  EXPECT_NE(a, b);
  EXPECT_EQ(a, poputil::chooseMappingOffset(100, {3, 4}));
  EXPECT_NE(a, poputil::chooseMappingOffset(100, {3, 4}, 7));
}

TEST(TileMapping, ImbalanceIsWhatTheFullestTileHasTooMuch) {
  EXPECT_EQ(poputil::getTileImbalance({{{0, 4}}, {{4, 8}}}), 0u);
  EXPECT_EQ(poputil::getTileImbalance({{{0, 7}}, {{7, 8}}}), 3u);
  EXPECT_EQ(poputil::getTileImbalance({{{0, 7}}, {{7, 8}}}, 6), 1u);
  EXPECT_EQ(poputil::getTileImbalance({{{0, 7}}, {{7, 8}}}, 0, 8), 0u);
  Session s(4);
  auto t = s.graph.addVariable(poplar::FLOAT, {8});
  s.graph.setTileMapping(t, 2);
  EXPECT_EQ(poputil::getTileImbalance(s.graph, t), 6u);
}

TEST(TileMapping, TellsWhichDimensionIsSplit) {
  Session s(4, 2);
  auto t = s.graph.addVariable(poplar::FLOAT, {4, 6});
  for (unsigned i = 0; i < 4; ++i)
    s.graph.setTileMapping(t[i], i % 2 ? i / 2 : 4 + i / 2); // rows on tiles of both IPUs
  EXPECT_TRUE(poputil::dimIsSplitOverTiles(s.graph, t, 0));
  EXPECT_FALSE(poputil::dimIsSplitOverTiles(s.graph, t, 1));
  EXPECT_TRUE(poputil::dimIsSplitOverIPUs(s.graph, t, 0));
  EXPECT_FALSE(poputil::dimIsSplitOverIPUs(s.graph, t, 1));
  EXPECT_TRUE(poputil::dimIsSplitOverTiles(s.graph, t.transpose(), 1));
  s.graph.setTileMapping(t.slice(0, 2), 0);
  s.graph.setTileMapping(t.slice(2, 4), 1);
  EXPECT_TRUE(poputil::dimIsSplitOverTiles(s.graph, t, 0));
  EXPECT_FALSE(poputil::dimIsSplitOverIPUs(s.graph, t, 0));
  EXPECT_THROW(poputil::dimIsSplitOverTiles(s.graph, t, 2), poputil::poplibs_error);
}

TEST(TileMapping, BroadcastOperandsLieWhereTheirDimensionIs) {
  Session s(4);
  auto t = s.graph.addVariable(poplar::FLOAT, {3, 16});
  for (unsigned i = 0; i < 4; ++i)
    s.graph.setTileMapping(t.slice(i * 4, i * 4 + 4, 1), 3 - i);
  auto b = poputil::createBroadcastOperand(s.graph, t, poplar::HALF, 1);
  EXPECT_EQ(b.shape(), (std::vector<std::size_t>{16}));
  EXPECT_EQ(b.elementType(), poplar::HALF);
  auto mapping = s.graph.getTileMapping(b);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(mapping[3 - i], (std::vector<Interval>{{i * 4, i * 4 + 4}}));
  // The rows are on all tiles alike: linear.
  auto rows = poputil::createBroadcastOperand(s.graph, t, poplar::FLOAT, 0);
  EXPECT_EQ(s.graph.getTileMapping(rows)[0], (std::vector<Interval>{{0, 3}}));
  EXPECT_THROW(poputil::createBroadcastOperand(s.graph, t, poplar::FLOAT, 2),
               poputil::poplibs_error);
}
