// SPDX-License-Identifier: MIT
// Elements must end up on tiles that use them, evenly.
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "Session.hpp"

using poplar::Interval;
using poputil::TensorUseTracker;
using Intervals = std::vector<Interval>;

TEST(TensorUseTracker, ElementsGoToTheTileThatUsesThem) {
  Session s(4);
  auto t = s.graph.addVariable(poplar::FLOAT, {8});
  TensorUseTracker uses(4);
  EXPECT_TRUE(uses.empty());
  uses.add(s.graph, 2, t.slice(0, 3));
  TensorUseTracker more(4);
  more.add(s.graph, 1, t.slice(3, 8));
  uses.add(std::move(more));
  EXPECT_FALSE(uses.empty());
  uses.mapTensorsByUse(s.graph, 1, 1);
  auto mapping = s.graph.getTileMapping(t);
  EXPECT_EQ(mapping[2], (Intervals{{0, 3}}));
  EXPECT_EQ(mapping[1], (Intervals{{3, 8}}));
}

TEST(TensorUseTracker, SharedElementsAreSharedOut) {
  Session s(4);
  auto t = s.graph.addVariable(poplar::FLOAT, {12});
  TensorUseTracker uses(4);
  for (unsigned tile : {3, 0, 2})
    uses.add(s.graph, tile, t);
  uses.mapTensorsByUse(s.graph, 1, 1);
  auto mapping = s.graph.getTileMapping(t);
  EXPECT_EQ(mapping[0], (Intervals{{0, 4}}));
  EXPECT_TRUE(mapping[1].empty());
  EXPECT_EQ(mapping[2], (Intervals{{4, 8}}));
  EXPECT_EQ(mapping[3], (Intervals{{8, 12}}));
}

TEST(TensorUseTracker, AStartTileAndADirectionRotateTheShares) {
  Session s(4);
  auto t = s.graph.addVariable(poplar::FLOAT, {12});
  TensorUseTracker uses(4, 2, true);
  for (unsigned tile : {0, 2, 3})
    uses.add(s.graph, tile, t);
  uses.mapTensorsByUse(s.graph, 1, 1);
  auto mapping = s.graph.getTileMapping(t);
  EXPECT_EQ(mapping[2], (Intervals{{0, 4}}));
  EXPECT_EQ(mapping[3], (Intervals{{4, 8}}));
  EXPECT_EQ(mapping[0], (Intervals{{8, 12}}));
}

TEST(TensorUseTracker, GrainsAndMinimumLimitTheShares) {
  Session s(4);
  auto t = s.graph.addVariable(poplar::FLOAT, {12});
  TensorUseTracker uses(4);
  for (unsigned tile = 0; tile < 4; ++tile)
    uses.add(s.graph, tile, t);
  auto coarse = uses;
  uses.mapTensorsByUse(s.graph, 4, 1);
  EXPECT_EQ(s.graph.getTileMapping(t)[2], (Intervals{{8, 12}}));
  EXPECT_TRUE(s.graph.getTileMapping(t)[3].empty());
  coarse.mapTensorsByUse(s.graph, 1, 6);
  EXPECT_EQ(s.graph.getTileMapping(t)[1], (Intervals{{6, 12}}));
}

TEST(TensorUseTracker, GrainsAreCutOnlyWhenConstrainedToUsers) {
  Session s(2);
  auto t = s.graph.addVariable(poplar::FLOAT, {8});
  TensorUseTracker uses(2);
  uses.add(s.graph, 0, t.slice(0, 3));
  uses.add(s.graph, 1, t.slice(3, 8));
  auto constrained = uses;
  constrained.mapTensorsByUse(s.graph, 4, 1, false,
                              TensorUseTracker::MappingMethod::ConstrainMappingToUsedTiles);
  EXPECT_EQ(s.graph.getTileMapping(t)[0], (Intervals{{0, 3}}));
  uses.mapTensorsByUse(s.graph, 4, 1);
  for (const auto &tile : s.graph.getTileMapping(t))
    for (const auto &region : tile)
      EXPECT_EQ(region.begin() % 4, 0u);
}

TEST(TensorUseTracker, HalosGoToTheNeighbours) {
  Session s(3);
  auto t = s.graph.addVariable(poplar::FLOAT, {10});
  TensorUseTracker uses(3);
  uses.add(s.graph, 2, t.slice(0, 6)); // 4 and 5 are used by both
  uses.add(s.graph, 1, t.slice(4, 10));
  uses.mapTensorsByUse(s.graph, 1, 1, false, TensorUseTracker::MappingMethod::OptimizeHaloRegions);
  EXPECT_EQ(s.graph.getTileMapping(t)[2], (Intervals{{0, 5}}));
  EXPECT_EQ(s.graph.getTileMapping(t)[1], (Intervals{{5, 10}}));
}

TEST(TensorUseTracker, UnusedElementsFollowTheirNeighboursIfAsked) {
  Session s(3);
  auto t = s.graph.addVariable(poplar::FLOAT, {10});
  auto unextended = s.graph.addVariable(poplar::FLOAT, {10});
  TensorUseTracker uses(3), plain(3);
  uses.add(s.graph, 1, t.slice(2, 4));
  uses.mapTensorsByUse(s.graph, 1, 1, true);
  EXPECT_EQ(s.graph.getTileMapping(t)[1], (Intervals{{0, 10}}));
  plain.add(s.graph, 1, unextended.slice(2, 4));
  plain.mapTensorsByUse(s.graph, 1, 1);
  EXPECT_EQ(s.graph.getTileMapping(unextended, false)[1], (Intervals{{2, 4}}));
  EXPECT_THROW(s.graph.getTileMapping(unextended), poplar::invalid_tile_mapping);
}

TEST(TensorUseTracker, RefusesTilesThatDoNotExist) {
  Session s(2);
  auto t = s.graph.addVariable(poplar::FLOAT, {1});
  TensorUseTracker uses(2);
  EXPECT_THROW(uses.add(s.graph, 2, t), poputil::poplibs_error);
  EXPECT_THROW(TensorUseTracker(0), poputil::poplibs_error);
}
