// SPDX-License-Identifier: MIT
#include "arch/Links.hpp"
#include "base/Error.hpp"
#include <gtest/gtest.h>

using namespace arch;

static std::string routeText(const System &system, unsigned from, unsigned to) {
  std::string text;
  for (const auto &resource : routeBetween(system, from, to))
    text += (text.empty() ? "" : ", ") + toString(resource);
  return text;
}

static System machineOf(const char *chip, unsigned ipus, LinkLayout layout) {
  auto system = systemOf(chipByName(chip), ipus);
  system.links = layout;
  return system;
}

TEST(Links, ALadderCrossesTheRungFirst) {
  const auto ladder = machineOf("ipu2", 16, LinkLayout::Ladder);
  EXPECT_EQ(routeText(ladder, 3, 3), "");
  EXPECT_EQ(routeText(ladder, 0, 1), "rung 0->1");
  EXPECT_EQ(routeText(ladder, 0, 4), "rail 0->2, rail 2->4");
  EXPECT_EQ(routeText(ladder, 1, 4), "rung (through) 1->0, rail 0->2, rail 2->4");
  EXPECT_EQ(routeText(ladder, 5, 0), "rung (through) 5->4, rail 4->2, rail 2->0");
}

TEST(Links, AnIpuWithoutARungCrossesWhereItArrives) {
  const auto odd = machineOf("ipu2", 5, LinkLayout::Ladder);
  EXPECT_EQ(routeText(odd, 4, 1), "rail 4->2, rail 2->0, rung (through) 0->1");
  EXPECT_EQ(routeText(odd, 1, 4), "rung (through) 1->0, rail 0->2, rail 2->4");
}

TEST(Links, ATorusTakesTheShorterWayRound) {
  const auto torus = machineOf("ipu2", 16, LinkLayout::Torus);
  EXPECT_EQ(routeText(torus, 0, 14), "rail 0->14");
  EXPECT_EQ(routeText(torus, 13, 1), "rail 13->15, rail 15->1");
  EXPECT_EQ(routeBetween(torus, 0, 8).size(), 4u);
  EXPECT_EQ(routeText(torus, 0, 10), "rail 0->14, rail 14->12, rail 12->10");
}

TEST(Links, ALineGoesFromIdToId) {
  const auto line = machineOf("ipu2", 8, LinkLayout::Line);
  EXPECT_EQ(routeText(line, 4, 2), "rail 4->3, rail 3->2");
}

TEST(Links, RacksMeetThroughTheirGateways) {
  const auto pod = systemOf(chipByName("bow"), 128);
  EXPECT_EQ(routeText(pod, 5, 70), "gateway out of machine 1, gateway in of machine 17");
  EXPECT_EQ(linkExchange(pod, std::vector<Flow>{{5, 70, 25'000'000}}).transferSeconds, 1e-3);
}

TEST(Links, RoutesInALaterRackStayInIt) {
  const auto pod = systemOf(chipByName("bow"), 128);
  EXPECT_EQ(routeText(pod, 64, 66), "rail 64->66");
  EXPECT_EQ(routeText(pod, 64, 126), "rail 64->126");
}

TEST(Links, FlowsShareTheLinksOfOneDirection) {
  const auto ladder = machineOf("ipu1", 16, LinkLayout::Ladder);
  const double rail = 17179869184.0, packets = 256.0 / (256 + 14 * 4);
  const auto cost =
      linkExchange(ladder, std::vector<Flow>{{0, 2, 1024000}, {0, 4, 1024000}, {2, 0, 1024000}});
  EXPECT_DOUBLE_EQ(cost.transferSeconds, 2048000 / packets / rail);
  EXPECT_EQ(toString(cost.busiest), "rail 0->2");
  EXPECT_EQ(cost.hops, 2u);
  EXPECT_DOUBLE_EQ(cost.seconds, 2048000 / packets / rail + 2 * 100e-9);
}

TEST(Links, ARungOfGc2IsNoWiderThanARail) {
  const auto ladder = machineOf("ipu1", 4, LinkLayout::Ladder);
  const auto ends = linkExchange(ladder, std::vector<Flow>{{0, 1, 1 << 20}});
  const auto through = linkExchange(ladder, std::vector<Flow>{{0, 3, 1 << 20}});
  EXPECT_DOUBLE_EQ(ends.transferSeconds, through.transferSeconds);
}

TEST(Links, ShortPacketsTakeAsMuchAsLongerOnes) {
  const auto &links = chipByName("ipu1").links;
  EXPECT_EQ(bytesOnLink(links, {0, 1, 8, 1}), 72u); // 18 words
  EXPECT_EQ(bytesOnLink(links, {0, 1, 16, 1}), 72u);
  EXPECT_EQ(bytesOnLink(links, {0, 1, 192, 1}), 192u + 56);
  EXPECT_EQ(bytesOnLink(links, {0, 1, 512, 1}), 512u + 2 * 56); // two packets
  EXPECT_EQ(bytesOnLink(links, {0, 1, 16000, 1000}), 72000u);
}

TEST(Links, AColumnOfPixelsTakesWhatWasMeasured) {
  // B14 to B16: 1000 pixels each way between neighbours add 5 us on four IPUs, whatever their type.
  const auto ladder = machineOf("ipu1", 4, LinkLayout::Ladder);
  for (std::uint64_t pixel : {8, 16}) {
    std::vector<Flow> flows;
    for (unsigned i = 0; i < 3; ++i)
      flows.insert(flows.end(), {{i, i + 1, 1000 * pixel, 1000}, {i + 1, i, 1000 * pixel, 1000}});
    EXPECT_NEAR(linkExchange(ladder, flows).seconds, 4.4e-6, 0.05e-6);
  }
}

TEST(Links, EmptyAndLocalFlowsCostNothing) {
  const auto ladder = machineOf("ipu2", 4, LinkLayout::Ladder);
  EXPECT_EQ(linkExchange(ladder, std::vector<Flow>{{1, 1, 500}, {0, 3, 0}}).cycles, 0u);
}

TEST(Links, RefusesAnIpuThatIsNotThere) {
  EXPECT_THROW(routeBetween(machineOf("ipu2", 4, LinkLayout::Ladder), 0, 4), base::InternalError);
}

TEST(Collectives, ARingOfOneMachineFollowsTheFormula) {
  const auto ladder = machineOf("ipu2", 16, LinkLayout::Ladder);
  const std::uint64_t bytes = 16 << 20;
  const double rate = 2 * 17179869184.0 * 256 / (256 + 14 * 4);
  const double seconds = 2 * 15.0 / 16 * double(bytes) / rate + 2 * 15 * 100e-9;
  const double modelled =
      ladder.chip.seconds(collectiveCycles(ladder, Collective::AllReduce, bytes, 16));
  EXPECT_NEAR(modelled, seconds, 1e-7);
}

TEST(Collectives, ScatterAndGatherAreHalfOfAllReduce) {
  const auto torus = machineOf("bow", 64, LinkLayout::Torus);
  const auto all = collectiveCycles(torus, Collective::AllReduce, 1 << 24, 64);
  EXPECT_EQ(2 * collectiveCycles(torus, Collective::ReduceScatter, 1 << 24, 64), all);
  EXPECT_EQ(2 * collectiveCycles(torus, Collective::AllGather, 1 << 24, 64), all);
}

TEST(Collectives, ReplicasOfSeveralIpusShareTheWork) {
  const auto ladder = machineOf("bow", 16, LinkLayout::Ladder);
  EXPECT_GT(collectiveCycles(ladder, Collective::AllReduce, 1 << 24, 4, 4), 0u);
  EXPECT_LT(collectiveCycles(ladder, Collective::AllReduce, 1 << 24, 2, 2),
            collectiveCycles(ladder, Collective::AllReduce, 1 << 24, 16, 1));
}

TEST(Collectives, RacksReduceInsideThenOverGateways) {
  const auto pod = systemOf(chipByName("bow"), 128), rack = systemOf(chipByName("bow"), 64);
  const std::uint64_t bytes = 64 << 20;
  // Each IPU holds 1/64 after the first part, passes half of it on twice, four IPUs to a gateway;
  // two rounds of one step.
  const Cycles gateway = pod.chip.cycles(4 * (double(bytes) / 128) / 25e9 + 2e-6);
  EXPECT_EQ(collectiveCycles(pod, Collective::AllReduce, bytes, 128),
            collectiveCycles(rack, Collective::AllReduce, bytes, 64) + 2 * gateway);
}

TEST(Collectives, OneReplicaHasNothingToDo) {
  EXPECT_EQ(collectiveCycles(systemOf(chipByName("bow"), 4), Collective::AllReduce, 1000, 1, 4),
            0u);
}
