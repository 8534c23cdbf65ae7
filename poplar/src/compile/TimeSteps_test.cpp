// SPDX-License-Identifier: MIT
#include "compile/TestImage.hpp"
#include "compile/TimeSteps.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::compile;
using namespace poplar::compile::testing;

namespace {
const arch::System gc200 = arch::systemOf(arch::chipByName("ipu2"));
struct OneSet : TestImage {
  std::uint32_t cs = computeSet("cs"), type = vertexType("V", {});
  std::uint32_t run = execute(cs);
  OneSet() { image.programs = {run}; }
  const Cost &cost() const { return image.steps[run].cost; }
};
} // namespace

TEST(TimeSteps, AVertexTakesItsEstimateLaunchAndLocalSync) {
  OneSet t; // 600 bundles, six cycles each: 12 to launch, 6 to see it done (hardware: 7236 for two
            // in a row)
  t.vertex(t.cs, t.type, 5, {}, 600);
  timeSteps(t.image, gc200);
  ASSERT_EQ(t.cost().phases.size(), 1u);
  EXPECT_EQ(t.cost().cycles(), 3618u);
  EXPECT_TRUE(t.cost().measured);
  EXPECT_EQ(t.cost().phases[0].tiles[0].tile, 5u);
  EXPECT_EQ(t.cost().phases[0].tiles[0].busyThreadCycles, 3600u);
}

TEST(TimeSteps, SixWorkersShareATileAndTheSlowestTileDecides) {
  OneSet t;
  for (unsigned i = 0; i != 7; ++i)
    t.vertex(t.cs, t.type, 1, {}, 100);
  t.vertex(t.cs, t.type, 0, {}, 10);
  timeSteps(t.image, gc200);
  // Launches 12 apart; the seventh starts when the first is done at 612, 12 cycles later at the
  // soonest: 612 + 600 + 6.
  EXPECT_EQ(t.cost().cycles(), 1218u);
  const auto &tiles = t.cost().phases[0].tiles;
  ASSERT_EQ(tiles.size(), 2u);
  EXPECT_EQ(tiles[0].cycles, 78u);
  EXPECT_EQ(tiles[1].busyThreadCycles, 4200u);
}

TEST(TimeSteps, SupervisorVerticesRunAlone) {
  OneSet t;
  auto supervisor = t.vertexType("S", {}, codelet::VertexKind::SupervisorVertex);
  auto multi = t.vertexType("M", {}, codelet::VertexKind::MultiVertex);
  t.vertex(t.cs, supervisor, 0, {}, 100);
  t.vertex(t.cs, multi, 0, {}, 600);
  timeSteps(t.image, gc200);
  EXPECT_EQ(t.cost().cycles(), 100u + 600u + 2 * 18u);
}

TEST(TimeSteps, WaitsForCountsOfVerticesWithoutEstimates) {
  OneSet t;
  t.vertex(t.cs, t.type, 0, {}, 100);
  t.vertex(t.cs, t.type, 0, {});
  timeSteps(t.image, gc200);
  EXPECT_FALSE(t.cost().measured);
  EXPECT_EQ(t.cost().cycles(), 0u);
  Phase phase{};
  const std::uint64_t counted[] = {100, 200};
  EXPECT_TRUE(timeComputeSet(t.image, gc200, t.cs, counted, phase));
  EXPECT_EQ(phase.cycles, 24u + 1200u + 6u);
}

TEST(TimeSteps, FindsTheSetsOwnPhaseWhateverItsName) {
  for (std::string name : {"copy-in", "copy-out", "sum"}) {
    OneSet t;
    t.image.computeSets[t.cs].name = name;
    auto &step = t.image.steps[t.run];
    step.cost.phases = {{PhaseKind::Compute, "copy-in", 1, 0, 0, {}},
                        {PhaseKind::Compute, name, 2, 0, 0, {}},
                        {PhaseKind::Compute, "copy-out", 3, 0, 0, {}}};
    EXPECT_EQ(computePhase(t.image, step).cycles, 2u) << name;
  }
}

TEST(TimeSteps, ControlFlowHasACost) {
  TestImage t;
  auto p = t.variable("p", 1);
  auto loop = t.repeat(10, t.sequence({}));
  auto test = t.branch(p, t.sequence({}), t.sequence({}));
  t.image.programs = {t.sequence({loop, test})};
  timeSteps(t.image, gc200);
  EXPECT_EQ(t.image.steps[loop].cost.cycles(), 6u);
  const auto &cost = t.image.steps[test].cost;
  ASSERT_EQ(cost.phases.size(), 2u);
  EXPECT_EQ(cost.phases[0].cycles, 237u);
  // One word to the farthest tile: 20 + 15 columns x 6 + 22 rows x 2, one cycle for the word, six
  // to branch.
  EXPECT_EQ(cost.phases[1].cycles, 154u + 1u + 6u);
}
