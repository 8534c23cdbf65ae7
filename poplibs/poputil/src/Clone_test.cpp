// SPDX-License-Identifier: MIT
// Clones keep order, aliases and places; copies carry the values.
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/Util.hpp"
#include "Session.hpp"

using poplar::Interval;
using poplar::TensorCloneMethod;

TEST(Clone, DuplicatesHoldTheValuesInTheOrderOfTheOriginal) {
  Session s(4);
  auto values = s.random(24);
  auto t = s.input(poplar::FLOAT, {4, 6}, values);
  auto a = s.output(poputil::duplicate(s.graph, t, s.prog));
  auto transposed = poputil::duplicate(s.graph, t.transpose(), s.prog, "transposed");
  auto b = s.output(transposed.transpose());
  auto broadcast = t[0].expand({0}).broadcast(3, 0);
  auto kept = poputil::duplicate(s.graph, broadcast, s.prog, "kept",
                                 TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
  auto expanded = poputil::duplicate(s.graph, broadcast, s.prog, "expanded");
  EXPECT_TRUE(kept.containsAliases());
  EXPECT_FALSE(expanded.containsAliases());
  EXPECT_FALSE(expanded.intersectsWith(t));
  auto c = s.output(kept), d = s.output(expanded);
  s.run();
  auto stored = Session::stored(poplar::FLOAT, values);
  EXPECT_EQ(s.values(a), stored);
  EXPECT_EQ(s.values(b), stored);
  for (auto i : {c, d})
    for (std::size_t e = 0; e < 18; ++e)
      EXPECT_EQ(s.values(i)[e], stored[e % 6]);
}

TEST(Clone, OnAnotherIpuTheTilesHaveTheSameNumbers) {
  Session s(4, 2);
  auto values = s.random(40);
  auto t = s.graph.addVariable(poplar::FLOAT, {8, 5});
  poputil::mapTensorLinearly(s.graph, t, 10, 1);
  s.set(t, values);
  auto there = poputil::copyToIpu(s.graph, t.transpose(), s.prog, 1);
  for (unsigned tile = 0; tile < 4; ++tile) {
    EXPECT_EQ(s.graph.getTileMapping(there.transpose())[tile + 4], s.graph.getTileMapping(t)[tile]);
    EXPECT_TRUE(s.graph.getTileMapping(there)[tile].empty());
  }
  auto back = poputil::cloneToIpu(s.graph, there, 0);
  EXPECT_EQ(s.graph.getTileMapping(back.transpose()), s.graph.getTileMapping(t));
  EXPECT_THROW(poputil::cloneToIpu(s.graph, t, 2), poputil::poplibs_error);
  EXPECT_EQ(s.run(there.transpose()), Session::stored(poplar::FLOAT, values));
}

TEST(Clone, CopiesBetweenIpusMoveSharedElementsOnce) {
  Session s(2, 2);
  auto t = s.input(poplar::FLOAT, {3}, {1, 2, 3});
  poplar::Tensor src, dst;
  auto there = poputil::createIpuCopy(s.graph, t.expand({0}).broadcast(4, 0), 1, src, dst);
  EXPECT_EQ(there.shape(), (std::vector<std::size_t>{4, 3}));
  EXPECT_EQ(src.numElements(), 3u);
  EXPECT_EQ(dst.numElements(), 3u);
  s.prog.add(poplar::program::Copy(src, dst));
  EXPECT_EQ(s.run(there), (Doubles{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
}

TEST(Clone, ToAnotherGraphKeepsTilesOrderAndAliases) {
  Session s(4);
  poplar::Graph wide(poplar::Target(s.device.getTarget()));
  auto narrow = s.graph.createVirtualGraph(2u);
  auto t = s.graph.addVariable(poplar::FLOAT, {4, 6}, "t");
  poputil::mapTensorLinearly(s.graph, t, 6, 1);
  for (const auto &view : {t, t.transpose(), t.slice(1, 3, 1), t.reverse(0)}) {
    auto clone = poputil::cloneToGraph(s.graph, wide, view);
    EXPECT_EQ(clone.shape(), view.shape());
    EXPECT_EQ(wide.getTileMapping(clone), s.graph.getTileMapping(view));
    EXPECT_EQ(clone.isContiguous(), view.isContiguous() || view == t.slice(1, 3, 1));
  }
  auto twice = poplar::concat(t, t);
  auto aliased = poputil::cloneToGraph(s.graph, wide, twice, "aliased",
                                       TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
  EXPECT_TRUE(aliased.containsAliases());
  EXPECT_EQ(aliased.slice(0, 4), aliased.slice(4, 8));
  EXPECT_FALSE(poputil::cloneToGraph(s.graph, wide, twice).containsAliases());
  EXPECT_THROW(poputil::cloneToGraph(s.graph, narrow, t), poputil::poplibs_error);
  poplar::Graph replicated(s.device.getTarget().createVirtualTarget(2, 4),
                           poplar::replication_factor(2));
  EXPECT_THROW(poputil::cloneToGraph(s.graph, replicated, t), poputil::poplibs_error);
}

TEST(Clone, ExpandedAliasesGetPlacesOfTheirOwn) {
  Session s(4);
  auto t = s.graph.addVariable(poplar::FLOAT, {32});
  s.graph.setTileMapping(t, 3);
  auto [plain, same] = poputil::cloneAndExpandAliasing(s.graph, t, 2);
  EXPECT_EQ(same, 2u);
  EXPECT_EQ(s.graph.getTileMapping(plain), s.graph.getTileMapping(t));
  auto [out, next] = poputil::cloneAndExpandAliasing(s.graph, t.expand({0}).broadcast(3, 0), 1);
  EXPECT_FALSE(out.containsAliases());
  EXPECT_EQ(out.shape(), (std::vector<std::size_t>{3, 32}));
  auto mapping = s.graph.getTileMapping(out);
  EXPECT_EQ(mapping[3], (std::vector<Interval>{{0, 32}}));
  EXPECT_EQ(mapping[1], (std::vector<Interval>{{32, 64}}));
  EXPECT_EQ(mapping[2], (std::vector<Interval>{{64, 96}}));
  EXPECT_EQ(next, 3u);
}

TEST(Clone, ManyClonesStandBehindANewDimension) {
  Session s(4);
  auto t = s.graph.addVariable(poplar::HALF, {2, 3}, poplar::VariableMappingMethod::LINEAR);
  auto n = poputil::cloneN(s.graph, t, 5);
  EXPECT_EQ(n.shape(), (std::vector<std::size_t>{5, 2, 3}));
  EXPECT_FALSE(n.containsAliases());
  EXPECT_EQ(s.graph.getTileMapping(n[4]), s.graph.getTileMapping(t));
}
