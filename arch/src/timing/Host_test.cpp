// SPDX-License-Identifier: MIT
#include "arch/Host.hpp"
#include <gtest/gtest.h>

using namespace arch;

static HostTransfer transferOf(HostDirection direction, std::uint64_t bytes) {
  HostTransfer t;
  t.direction = direction;
  t.bytesPerIpu = bytes;
  return t;
}

TEST(Host, ASynchronousStreamWaitsAndAPrefetchedOneDoesNot) {
  const auto system = systemOf(chipByName("ipu2"));
  auto t = transferOf(HostDirection::ToDevice, 4);
  const auto waiting = streamCopy(system, t);
  t.wait = HostWait::Prefetched;
  const auto prefetched = streamCopy(system, t);
  EXPECT_EQ(waiting.sync, 600u + 79800);
  EXPECT_EQ(prefetched.sync, 600u);
  EXPECT_EQ(waiting.transfer, prefetched.transfer);
}

TEST(Host, LargeStreamsRunAtThePortsRate) {
  const auto system = systemOf(chipByName("ipu2"));
  EXPECT_EQ(streamCopy(system, transferOf(HostDirection::ToDevice, 40'000'000)).transfer,
            1596u + 2660000);
  EXPECT_EQ(streamCopy(system, transferOf(HostDirection::FromDevice, 55'000'000)).transfer,
            1596u + 13300000);
}

TEST(Host, ACardIsFasterOutThanAGateway) {
  const auto card = systemOf(chipByName("ipu1"));
  EXPECT_EQ(streamCopy(card, transferOf(HostDirection::FromDevice, 26'000'000)).transfer,
            1920u + 1600000);
}

TEST(Host, ASingleTileTakesItsPacketsOneByOne) {
  const auto system = systemOf(chipByName("ipu2"));
  auto t = transferOf(HostDirection::FromDevice, 256 * 101);
  t.busiestTileBytes = t.bytesPerIpu;
  // 100 gaps of 32 * 256 / 3.75e9 s
  EXPECT_EQ(streamCopy(system, t).transfer, system.chip.cycles(1.2e-6 + 100 * 32 * 256 / 3.75e9));
}

TEST(Host, IpusOfOneMachineShareItsNetworkPorts) {
  const auto machine = systemOf(chipByName("ipu2"), 4);
  auto t = transferOf(HostDirection::ToDevice, 25'000'000);
  t.bytesAllIpus = 100'000'000;
  EXPECT_EQ(streamCopy(machine, t).transfer, machine.chip.cycles(1.2e-6 + 4e-3));
}

TEST(Host, RemoteBuffersDoNotWaitForTheHost) {
  const auto machine = systemOf(chipByName("ipu2"), 4);
  const auto read = remoteBufferCopy(machine, transferOf(HostDirection::ToDevice, 20'000'000));
  EXPECT_EQ(read.sync, 600u);
  EXPECT_EQ(read.transfer, 1596u + 1330000);
  EXPECT_EQ(remoteBufferCopy(machine, transferOf(HostDirection::FromDevice, 20'000'000)).transfer,
            1596u + 2660000);
}

TEST(Host, TheSameBytesPassTheExchange) {
  const auto system = systemOf(chipByName("ipu2"));
  const auto cost = streamCopy(system, transferOf(HostDirection::ToDevice, 1472 * 400));
  EXPECT_EQ(cost.exchange, 64u + 100);
  EXPECT_EQ(cost.total(), cost.sync + cost.transfer + cost.exchange);
}

TEST(Host, AnEmptyStreamOnlySyncs) {
  const auto cost =
      streamCopy(systemOf(chipByName("ipu2")), transferOf(HostDirection::ToDevice, 0));
  EXPECT_EQ(cost.total(), cost.sync);
}
