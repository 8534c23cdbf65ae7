// SPDX-License-Identifier: MIT
#include "machine/Error.hpp"
#include "vipu/Changes.hpp"
#include <gtest/gtest.h>

namespace vipu {
namespace {

// 16 IPUs in four boxes, nothing else.
machine::State pod16() {
  machine::State state;
  for (unsigned i = 0; i < 4; ++i)
    createAgent(state, {"ag0" + std::to_string(i + 1), "10.1.0." + std::to_string(i + 1), "M2000"});
  return state;
}

PartitionRequest partitionOf(std::string name, unsigned size, bool reconfigurable = true) {
  PartitionRequest request;
  request.name = std::move(name);
  request.size = size;
  request.reconfigurable = reconfigurable;
  return request;
}

// The change is refused with this text in its message, and nothing has changed.
template <class Change>
void refused(const machine::State &before, const std::string &text, const Change &change) {
  auto state = before;
  try {
    change(state);
    ADD_FAILURE() << "accepted, instead of: " << text;
  } catch (const machine::Error &e) {
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
  EXPECT_EQ(state, before);
}

TEST(Changes, PartitionsLieSideBySideAndAligned) {
  auto state = pod16();
  createPartition(state, partitionOf("one", 1));
  createPartition(state, partitionOf("four", 4));
  createPartition(state, partitionOf("two", 2));
  EXPECT_EQ(partition(state, "one").firstIpu, 0u);
  EXPECT_EQ(partition(state, "four").firstIpu, 4u);
  EXPECT_EQ(partition(state, "two").firstIpu, 2u);
  refused(state, "no 16 free IPUs", [](auto &s) { createPartition(s, partitionOf("all", 16)); });
  createPartition(state, partitionOf("rest", 8));
  EXPECT_EQ(partition(state, "rest").firstIpu, 8u);
  removePartition(state, "four");
  createPartition(state, partitionOf("again", 4));
  EXPECT_EQ(partition(state, "again").firstIpu, 4u);
}

TEST(Changes, PartitionsHaveTheSettingsOfTheirKind) {
  auto state = pod16();
  createPartition(state, partitionOf("flexible", 4));
  auto fixed = partitionOf("fixed", 8, false);
  fixed.gcds = 2;
  createPartition(state, fixed);
  EXPECT_EQ(partition(state, "flexible").partition.routing, "DNC");
  EXPECT_EQ(partition(state, "flexible").partition.syncType, "c2-compatible");
  EXPECT_EQ(partition(state, "fixed").partition.syncType, "pod-native-default");
  EXPECT_EQ(state.domain(partition(state, "fixed"), 1).ipus.size(), 4u);
  EXPECT_EQ(state.domain(partition(state, "fixed"), 1).ipus.front().number, 12u);
}

TEST(Changes, PartitionsThatCannotBe) {
  const auto state = pod16();
  refused(state, "Try 4", [](auto &s) { createPartition(s, partitionOf("p", 3)); });
  refused(state, "power of two", [](auto &s) { createPartition(s, partitionOf("p", 0)); });
  refused(state, "no name", [](auto &s) { createPartition(s, partitionOf("../p", 4)); });
  refused(state, "no free IPUs", [](auto &s) {
    try {
      createPartition(s, partitionOf("p", 32));
    } catch (const machine::Error &e) {
      throw machine::Error(std::string("no free IPUs: ") + e.what());
    }
  });
  refused(state, "one GCD", [](auto &s) {
    auto request = partitionOf("p", 4);
    request.gcds = 2;
    createPartition(s, request);
  });
  refused(state, "does not divide", [](auto &s) {
    auto request = partitionOf("p", 4, false);
    request.gcds = 3;
    createPartition(s, request);
  });
  refused(state, "c2-compatible", [](auto &s) {
    auto request = partitionOf("p", 4);
    request.syncType = "pod-native-default";
    createPartition(s, request);
  });
  refused(state, "There is no cluster c1", [](auto &s) {
    auto request = partitionOf("p", 4);
    request.cluster = "c1";
    createPartition(s, request);
  });
  refused(state, "There is no partition", [](auto &s) { removePartition(s, "demo"); });
}

TEST(Changes, APlaceCanBeChosen) {
  auto state = pod16();
  auto request = partitionOf("third", 4);
  request.index = 2;
  createPartition(state, request);
  EXPECT_EQ(partition(state, "third").firstIpu, 8u);
  refused(state, "which partition third has", [](auto &s) {
    auto other = partitionOf("other", 4);
    other.index = 2;
    createPartition(s, other);
  });
}

TEST(Changes, ClustersAndAllocationsLimitPartitions) {
  auto state = pod16();
  createCluster(state, {"c1", {"ag01", "ag02"}, 1, "looped"});
  createCluster(state, {"c2", {"ag03", "ag04"}, 1, "mesh"});
  createAllocation(state, {"team", "c2", {"ag04"}});
  auto request = partitionOf("p", 4);
  request.allocation = "team";
  createPartition(state, request);
  EXPECT_EQ(partition(state, "p").firstIpu, 12u);
  refused(state, "GW-Links", [](auto &s) {
    createCluster(s, {"c3", {"ag03", "ag04"}, 2, "mesh"});
    s.clusters.pop_back(); // the partition is refused, not the cluster
    auto wide = partitionOf("wide", 4);
    wide.gatewayRouting = "ring";
    createPartition(s, wide);
  });
  refused(state, "has the partition p", [](auto &s) { removeAllocation(s, "team"); });
  refused(state, "has the allocation team", [](auto &s) { removeCluster(s, "c2"); });
  refused(state, "is in cluster c1", [](auto &s) { removeAgent(s, "ag01"); });
  refused(state, "is not in cluster c1", [](auto &s) {
    createAllocation(s, {"x", "c1", {"ag03"}});
  });
  refused(state, "in the allocation team already", [](auto &s) {
    createAllocation(s, {"x", "c2", {"ag04"}});
  });
  removePartition(state, "p");
  removeAllocation(state, "team");
  removeCluster(state, "c2");
  removeAgent(state, "ag04");
  EXPECT_EQ(state.ipus(), 12u);
}

TEST(Changes, AgentsThatCannotBe) {
  const auto state = pod16();
  refused(state, "already", [](auto &s) { createAgent(s, {"ag01", "10.1.0.9", "M2000"}); });
  refused(state, "M2000, BOW-2000", [](auto &s) { createAgent(s, {"ag09", "10.1.0.9", "M3000"}); });
  refused(state, "--host", [](auto &s) { createAgent(s, {"ag09", "", "M2000"}); });
  refused(state, "twice", [](auto &s) { createCluster(s, {"c", {"ag01", "ag01"}, 1, "mesh"}); });
  refused(state, "does not divide", [](auto &s) { createCluster(s, {"c", {"ag01"}, 2, "mesh"}); });
}

TEST(Changes, IpusOfOneKindMakeAPartition) {
  machine::State state;
  createAgent(state, {"old", "10.1.0.1", "M2000"});
  createAgent(state, {"new", "10.1.0.2", "BOW-2000"});
  createPartition(state, partitionOf("p", 4));
  createPartition(state, partitionOf("q", 4));
  EXPECT_EQ(partition(state, "p").partition.chip, "ipu2");
  EXPECT_EQ(partition(state, "q").partition.chip, "bow");
  removePartition(state, "p");
  removePartition(state, "q");
  refused(state, "no 8 free IPUs", [](auto &s) { createPartition(s, partitionOf("all", 8)); });
}

} // namespace
} // namespace vipu
