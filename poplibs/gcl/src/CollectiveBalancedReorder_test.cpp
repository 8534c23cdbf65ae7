// SPDX-License-Identifier: MIT
// Host and device use the same permutation; shards are balanced; scatter and gather in the
// collective's order give the tensor back.
#include "gcl/CollectiveBalancedReorder.hpp"
#include "gcl/Collectives.hpp"
#include "openipu/Placement.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

using namespace poplar;
using namespace gcl;

TEST(CollectiveBalancedReorder, GivesEveryShardTheSameOnEachTile) {
  Session s(8, 1, 2);
  auto t = s.graph.addVariable(FLOAT, {7, 9});
  s.graph.setTileMapping(t.slice(0, 4), 3);
  s.graph.setTileMapping(t.slice(4, 7).slice(0, 5, 1), 1);
  s.graph.setTileMapping(t.slice(4, 7).slice(5, 9, 1), 6);
  CollectiveBalancedReorder order(s.graph, t, 2, {"weights"}, false, 4);
  EXPECT_EQ(order.getReferenceShape(), (Shape{7, 9}));
  auto shard = order.createReplicaSlice(HALF);
  auto all = order.createCollectivesTensor(FLOAT, "all");
  // 15, 36 and 12 elements: 8, 20 and 8 places per shard.
  EXPECT_EQ(shard.shape(), Shape{36});
  EXPECT_EQ(all.shape(), Shape{72});
  for (unsigned r = 0; r != 2; ++r)
    EXPECT_EQ(s.graph.getTileMapping(all.slice(36 * r, 36 * r + 36)),
              s.graph.getTileMapping(shard));
  // Every element stays on its tile.
  EXPECT_EQ(s.graph.getTileMapping(order.undoRearrangeForCollective(all)),
            s.graph.getTileMapping(t));
  EXPECT_THROW(order.undoRearrangeForCollective(shard), poputil::poplibs_error);
}

TEST(CollectiveBalancedReorder, HostAndDeviceAgreeAndUndoIsTheInverse) {
  for (bool elementMap : {false, true}) {
    Session s(8, 1, 2);
    auto t = s.graph.addVariable(FLOAT, {6, 10});
    for (unsigned i = 0; i != 60; ++i) // scattered
      s.graph.setTileMapping(t.flatten()[i], i * 5 % 8);
    CollectiveBalancedReorder order(s.graph, t, 2, {"weights"}, elementMap, 2);
    const auto &host = order.getHostRearrangement();
    EXPECT_EQ(host.elementMap.empty(), !elementMap);
    auto values = s.random(60);
    std::vector<float> reference(values.begin(), values.end()),
        gathered(host.getNumRearrangedTensorElems(), 7), back(60);
    host.rearrangeForCollective(reinterpret_cast<char *>(reference.data()),
                                reinterpret_cast<char *>(gathered.data()), 4);
    host.undoRearrangeForCollective(reinterpret_cast<char *>(gathered.data()),
                                    reinterpret_cast<char *>(back.data()), 4);
    EXPECT_EQ(back, reference);
    EXPECT_EQ(std::count(gathered.begin(), gathered.end(), 7.f), 0);
    auto all = order.createCollectivesTensor(FLOAT, "all");
    s.set(all, Doubles(gathered.begin(), gathered.end()));
    EXPECT_EQ(s.run(order.undoRearrangeForCollective(all)),
              Doubles(reference.begin(), reference.end()));
  }
}

TEST(CollectiveBalancedReorder, ScatterThenGatherRestoresTheTensor) {
  Session s(8, 1, 4);
  auto t = s.graph.addVariable(FLOAT, {50}, VariableMappingMethod::LINEAR);
  CollectiveBalancedReorder order(s.graph, t, 4, {"weights"});
  auto all = order.createCollectivesTensor(FLOAT, "all");
  auto values = s.integers(all.numElements(), 0, 99);
  s.set(all, values);
  auto shard = order.createReplicaSlice(FLOAT);
  std::vector<Tensor> shards{shard};
  reduceScatterToDestinationCrossReplica(s.graph, {all}, shards, CollectiveOperator::MEAN, s.prog);
  auto gathered = allGatherCrossReplica(s.graph, shard, s.prog);
  auto back = s.output(order.undoRearrangeForCollective(gathered));
  auto before = s.output(order.undoRearrangeForCollective(all));
  s.run();
  for (unsigned r = 0; r != 4; ++r)
    EXPECT_EQ(s.values(back, r), s.values(before, r));
}

TEST(CollectiveBalancedReorder, RefusesARearrangementThatDoesNotFit) {
  CollectiveBalancedHostRearrangement host;
  host.setReplicationFactor(2);
  host.setTotalElementsPerReplica(4);
  host.setGatheredToRefSlices({{4, 9}});
  char in[16] = {}, out[16] = {};
  EXPECT_THROW(host.undoRearrangeForCollective(in, out, 1), poputil::poplibs_error);
  host.setGatheredToRefSlices({});
  host.setElementMap({-1});
  EXPECT_THROW(host.rearrangeForCollective(in, out, 1), poputil::poplibs_error);
}
