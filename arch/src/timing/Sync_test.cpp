// SPDX-License-Identifier: MIT
#include "arch/Sync.hpp"
#include <gtest/gtest.h>

using namespace arch;

TEST(Sync, WiderScopesCostMore) {
  for (const auto &name : chipNames())
    for (unsigned ipus : {2u, 4u, 64u, 256u}) {
      const auto system = systemOf(chipByName(name), ipus);
      EXPECT_LT(syncCycles(system, SyncScope::Tile), syncCycles(system, SyncScope::Ipu));
      EXPECT_LT(syncCycles(system, SyncScope::Ipu), syncCycles(system, SyncScope::AllIpus));
      EXPECT_LT(syncCycles(system, SyncScope::AllIpus), syncCycles(system, SyncScope::Host));
    }
}

TEST(Sync, OneIpuPaysItsBoundary) {
  EXPECT_EQ(syncCycles(systemOf(chipByName("ipu2")), SyncScope::Ipu), 237u);
  EXPECT_EQ(syncCycles(systemOf(chipByName("ipu1")), SyncScope::Ipu), 120u);
}

TEST(Sync, OneIpuWaitsForTheWireToo) {
  EXPECT_EQ(syncCycles(systemOf(chipByName("ipu2")), SyncScope::AllIpus), 600u);
  EXPECT_EQ(syncCycles(systemOf(chipByName("ipu1")), SyncScope::AllIpus), 120u + 48);
}

TEST(Sync, SixteenGc2PayTheWireThereAndBack) {
  // hops 1 + 16/4 = 5; 2 * 5 * 15 ns at 1.6 GHz = 240 cycles.
  EXPECT_EQ(syncCycles(systemOf(chipByName("ipu1"), 16), SyncScope::AllIpus), 120u + 240);
}

TEST(Sync, Mk2PaysAtLeastItsGlobalConstant) {
  EXPECT_EQ(syncCycles(systemOf(chipByName("ipu2"), 4), SyncScope::AllIpus), 600u);
  // hops 65; 1.95 us at 1.33 GHz = 2593.5
  EXPECT_EQ(syncCycles(systemOf(chipByName("ipu2"), 256), SyncScope::AllIpus), 237u + 2594);
}

TEST(Sync, APrefetchedStreamDoesNotWaitForTheHost) {
  const auto system = systemOf(chipByName("ipu1"));
  EXPECT_EQ(syncCycles(system, SyncScope::Host), 168u + 96000);
  EXPECT_EQ(syncCycles(system, SyncScope::Host, HostWait::Prefetched), 168u);
}
