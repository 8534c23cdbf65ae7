// SPDX-License-Identifier: MIT
#include "poputil/exceptions.hpp"
#include "poputil/VarStructure.hpp"
#include "Session.hpp"

using Groups = std::vector<poputil::GroupingInfo>;

TEST(VarStructure, InnermostGroupingIsTheRunInMemoryOnATile) {
  Session s(4);
  auto t = s.graph.addVariable(poplar::FLOAT, {4, 12});
  s.graph.setTileMapping(t, 0);
  EXPECT_EQ(poputil::detectInnermostGrouping(s.graph, t), 12u);
  EXPECT_EQ(poputil::detectInnermostGrouping(s.graph, t.transpose()), 1u);
  EXPECT_EQ(poputil::detectInnermostGrouping(s.graph, t.slice(0, 8, 1)), 8u);
  s.graph.setTileMapping(t.slice(8, 12, 1), 1); // runs of 8 and 4
  EXPECT_EQ(poputil::detectInnermostGrouping(s.graph, t), 4u);
  auto grouped = s.graph.addVariable(poplar::HALF, {3, 4, 8}); // [channel group][x][channel]
  s.graph.setTileMapping(grouped, 0);
  EXPECT_EQ(poputil::detectInnermostGrouping(s.graph, grouped.dimRoll(1, 0).reshape({4, 24})), 8u);
  EXPECT_EQ(poputil::detectInnermostGrouping(s.graph, t.slice(0, 0, 1)), 1u);
  EXPECT_THROW(poputil::detectInnermostGrouping(s.graph, t[0][0]), poputil::poplibs_error);
}

TEST(VarStructure, GroupingsComeInnermostFirst) {
  Session s(2);
  auto memory = s.graph.addVariable(poplar::HALF, {3, 5, 2, 4}); // [a/2][b/4][2][4]
  s.graph.setTileMapping(memory, 0);
  auto t = memory.dimShuffle({0, 2, 1, 3}).reshape({6, 20});
  EXPECT_EQ(poputil::detectDimGroupings(s.graph, t), (Groups{{1, 4}, {0, 2}, {1, 5}, {0, 3}}));
  auto plain = s.graph.addVariable(poplar::HALF, {3, 5});
  s.graph.setTileMapping(plain, 0);
  EXPECT_EQ(poputil::detectDimGroupings(s.graph, plain.transpose()), (Groups{{0, 5}, {1, 3}}));
  EXPECT_TRUE(poputil::detectDimGroupings(s.graph, plain.slice(0, 0)).empty());
}

TEST(VarStructure, EveryPartitionIsOneStretchOfMemory) {
  Session s(1);
  const std::pair<Shape, Shape> cases[] = {{{6, 8}, {1, 1}}, {{6, 8}, {3, 2}},
                                           {{7, 9}, {2, 4}}, {{3, 0, 4}, {2, 1, 2}},
                                           {{2, 5}, {4, 1}}, {{}, {}}};
  for (const auto &each : cases) {
    const Shape &shape = each.first, &parts = each.second;
    auto t = poputil::createPartitionableTensor(s.graph, poplar::FLOAT, shape, parts);
    EXPECT_EQ(t.shape(), shape);
    EXPECT_FALSE(t.containsAliases());
    std::size_t calls = 0, elements = 0;
    poputil::iterateTensorPartitions(t, parts, [&](const Shape &i, const poplar::Tensor &slice) {
      EXPECT_EQ(i.size(), shape.size());
      EXPECT_TRUE(slice.numElements() == 0 || slice.isContiguous());
      ++calls;
      elements += slice.numElements();
    });
    EXPECT_EQ(calls, count(parts));
    EXPECT_EQ(elements, count(shape));
  }
  auto t = s.graph.addVariable(poplar::FLOAT, {4});
  auto nothing = [](const Shape &, const poplar::Tensor &) {};
  EXPECT_THROW(poputil::iterateTensorPartitions(t, {0}, nothing), poputil::poplibs_error);
  EXPECT_THROW(poputil::iterateTensorPartitions(t, {1, 1}, nothing), poputil::poplibs_error);
  EXPECT_THROW(poputil::createPartitionableTensor(s.graph, poplar::FLOAT, {4}, {}),
               poputil::poplibs_error);
}
