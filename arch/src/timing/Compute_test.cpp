// SPDX-License-Identifier: MIT
#include "arch/Compute.hpp"
#include <algorithm>
#include <gtest/gtest.h>

using namespace arch;

static const Chip &chip = chipByName("ipu2"); // 6 workers, launch 12, local sync 6

static Cycles cyclesOf(const std::vector<VertexCost> &vertices) {
  return tileCompute(chip, vertices).cycles;
}

TEST(Compute, NothingCostsNothing) {
  EXPECT_EQ(cyclesOf({}), 0u);
  EXPECT_EQ(cyclesOf({VertexCost::worker(100, 0)}), 0u);
}

TEST(Compute, OneWorkerIssuesEverySixthCycle) {
  EXPECT_EQ(cyclesOf({VertexCost::worker(600)}), 12u + 3600 + 6);
}

TEST(Compute, SixWorkersStartOneLaunchApart) {
  EXPECT_EQ(cyclesOf({VertexCost::worker(100, 6)}), 6u * 12 + 600 + 6);
}

TEST(Compute, TheSeventhVertexWaitsForTheFirstContext) {
  EXPECT_EQ(cyclesOf({VertexCost::worker(100, 7)}), 12u + 600 + 600 + 6);
}

TEST(Compute, ShortVerticesAreBoundByTheirLaunches) {
  EXPECT_EQ(cyclesOf({VertexCost::worker(1, 1000)}), 1000u * 12 + 6 + 6);
}

TEST(Compute, GraphOrderDecidesTheSchedule) {
  const std::vector<VertexCost> longLast = {VertexCost::worker(10, 6), VertexCost::worker(1000)};
  const std::vector<VertexCost> longFirst = {VertexCost::worker(1000), VertexCost::worker(10, 6)};
  EXPECT_EQ(cyclesOf(longFirst), 12u + 6000 + 6);
  EXPECT_EQ(cyclesOf(longLast), 84u + 6000 + 6); // launched seventh
}

TEST(Compute, ARunOfEqualVerticesCostsWhatThemOneByOneCost) {
  for (std::uint64_t bundles : {0, 1, 11, 12, 13, 100, 1234})
    for (std::uint64_t count : {1, 5, 6, 7, 13, 1000, 1003}) {
      const std::vector<VertexCost> run = {
          VertexCost::worker(77, 3), VertexCost::worker(bundles, count), VertexCost::worker(5)};
      std::vector<VertexCost> single(3, VertexCost::worker(77));
      single.insert(single.end(), count, VertexCost::worker(bundles));
      single.push_back(VertexCost::worker(5));
      EXPECT_EQ(cyclesOf(run), cyclesOf(single)) << count << " of " << bundles;
    }
}

TEST(Compute, AMillionVerticesTakeNoLongerToAsk) {
  EXPECT_EQ(cyclesOf({VertexCost::worker(1000, 6'000'000)}), 72u + 6000ull * 1'000'000 + 6);
}

TEST(Compute, MultiVerticesUseAllContextsAtOnce) {
  const std::vector<std::uint64_t> perWorker = {10, 20, 30, 40, 50, 60};
  const auto multi = VertexCost::multi(perWorker);
  EXPECT_EQ(cyclesOf({multi}), 12u + 360 + 6);
  EXPECT_EQ(tileCompute(chip, std::vector{multi}).busyThreadCycles, 210u * 6);
  EXPECT_EQ(cyclesOf({VertexCost::worker(100), multi}), 12u + 600 + 6 + 12 + 360 + 6);
}

TEST(Compute, ASupervisorVertexAddsItsOwnCycles) {
  EXPECT_EQ(cyclesOf({VertexCost::supervisor(57, 24 + 3 * 100)}), 12u + 57 + 324 * 6 + 6);
}

TEST(Compute, BusyThreadsLeaveIdleContextsOut) {
  const auto one = tileCompute(chip, std::vector{VertexCost::worker(100)});
  EXPECT_EQ(one.busyThreadCycles, 600u);
  const auto twelve = tileCompute(chip, std::vector{VertexCost::worker(100, 12)});
  EXPECT_EQ(twelve.busyThreadCycles, 7200u);
  EXPECT_LE(twelve.busyThreadCycles, twelve.cycles * chip.workers);
}

TEST(Compute, UndescribedVerticesAreNeverFree) {
  EXPECT_EQ(fallbackBundles(chip, 0, 0), 20u);
  EXPECT_EQ(fallbackBundles(chip, 17, 5), 20u + 3 + 5);
}

TEST(Compute, MemoryPortsLimitEveryKernel) {
  const std::vector<std::uint64_t> elements = {10, 40, 7};
  EXPECT_EQ(memoryPortCycles(chip, elements, 24), 40u);
  EXPECT_EQ(memoryPortCycles(chip, elements, 2400), 100u);
}

TEST(Compute, BigPiecesAreCopiedPieceByPieceAndSmallOnesAtomByAtom) {
  const auto &gc2 = chipByName("ipu1");
  const auto cycles = [](const Chip &chip, std::uint64_t pieces, std::uint64_t bytes) {
    TileRearrangement copy;
    copy.add(chip, bytes, pieces);
    return rearrangeCycles(chip, copy);
  };
  // B9: rows of a 45x47 block, each in six parts of 7.5 pixels of 16 bytes; 6954 published.
  EXPECT_EQ(cycles(gc2, 282, 120), 587u + 2087 + 4230);
  EXPECT_EQ(cycles(gc2, 36, 16), 587u + 339); // 36 * 9.4 rounded up
  EXPECT_EQ(cycles(gc2, 1000, 4), 587u + 12400);
  EXPECT_EQ(cycles(gc2, 1000, 2), 587u + 10200);
  EXPECT_EQ(cycles(chipByName("ipu21"), 1, 8192), 1312u);
  EXPECT_EQ(cycles(gc2, 5, 0), 0u);
}

TEST(Compute, AChipMayHaveAnotherNumberOfWorkers) {
  auto wide = chip;
  wide.workers = 8;
  EXPECT_EQ(tileCompute(wide, std::vector{VertexCost::worker(100, 8)}).cycles, 8u * 12 + 800 + 6);
}
