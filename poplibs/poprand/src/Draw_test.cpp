// SPDX-License-Identifier: MIT
// Plans against the published formulas of the vertices.
#include "Draw.hpp"
#include "poprand/RandomGen.hpp"
#include "Session.hpp"
#include <poplar/CycleCount.hpp>

TEST(RandomPlans, EveryTileTakesTheSeedAndItsOwnerSendsItOnce) {
  Session s(16);
  auto seed = s.graph.addVariable(poplar::UNSIGNED_INT, {2});
  s.graph.setTileMapping(seed, 5);
  openipu::Superstep generator;
  openipu::TileWork work;
  work.tile = 2;
  work.count = 8;
  work.cycles = 1000;
  generator.tiles.push_back(work);
  auto plan = poprand::seededPlan(s.graph, &seed, generator);
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps[0].vertex, "poprand::SetSeed");
  std::uint64_t tiles = 0, in = 0, out = 0;
  unsigned next = 0;
  for (const auto &t : plan.steps[0].tiles) {
    EXPECT_GE(t.tile, next);
    next = t.tile + t.count;
    EXPECT_EQ(t.cycles, 14u + 27 * 6);
    tiles += t.count;
    in += t.count * t.bytesIn;
    out += t.count * t.bytesOut;
  }
  EXPECT_EQ(tiles, 8u);
  EXPECT_EQ(in, 7u * 8); // tile 5 has it
  EXPECT_EQ(out, 8u);
  EXPECT_EQ(poprand::seededPlan(s.graph, nullptr, generator).steps.size(), 1u);
}

TEST(RandomPlans, ASeedElsewhereIsOnlySentFrom) {
  Session s(16);
  auto seed = s.graph.addVariable(poplar::UNSIGNED_INT, {2});
  s.graph.setTileMapping(seed[0], 0);
  s.graph.setTileMapping(seed[1], 15);
  openipu::Superstep generator;
  openipu::TileWork work;
  work.tile = 3;
  work.count = 2;
  generator.tiles.push_back(work);
  auto steps = poprand::seededPlan(s.graph, &seed, generator).steps;
  ASSERT_EQ(steps[0].tiles.size(), 3u);
  EXPECT_EQ(steps[0].tiles[0].tile, 0u);
  EXPECT_EQ(steps[0].tiles[0].cycles, 0u);
  EXPECT_EQ(steps[0].tiles[0].bytesOut, 4u);
  EXPECT_EQ(steps[0].tiles[1].bytesIn, 8u);
  EXPECT_EQ(steps[0].tiles[2].tile, 15u);
}

// Cycles of a draw of n elements on one tile, without a seed.
static std::uint64_t cyclesOfNormal(std::size_t n, poplar::Type type) {
  Session s(1);
  auto reference = s.graph.addVariable(type, {n});
  s.graph.setTileMapping(reference, 0);
  poprand::normal(s.graph, nullptr, 0, reference, type, 0, 1, s.prog);
  auto counted =
      poplar::cycleCount(s.graph, s.prog, 0, poplar::SyncType::INTERNAL); // low and high word
  auto words = s.run(counted);
  return std::uint64_t(words[0]) + (std::uint64_t(words[1]) << 32);
}

TEST(RandomPlans, DrawsTakeTheCyclesOfTheirVertices) {
  // 4 cycles for each vector of two floats or four halves, beside what is paid once.
  EXPECT_EQ(cyclesOfNormal(2000, poplar::FLOAT) - cyclesOfNormal(1000, poplar::FLOAT), 2000u);
  EXPECT_EQ(cyclesOfNormal(2000, poplar::HALF) - cyclesOfNormal(1000, poplar::HALF), 1000u);
  EXPECT_EQ(cyclesOfNormal(1000, poplar::HALF) - cyclesOfNormal(500, poplar::FLOAT), 12u);
}
