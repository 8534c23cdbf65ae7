// SPDX-License-Identifier: MIT
#include "arch/Host.hpp"
#include "arch/Links.hpp"
#include "arch/Sync.hpp"
#include "base/Arithmetic.hpp"
#include "compile/PlanExchange.hpp"
#include "compile/TestImage.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::compile;
using namespace poplar::compile::testing;

namespace {

const arch::System gc200 = arch::systemOf(arch::chipByName("ipu2"));

struct Planned : TestImage {
  std::uint32_t cs = computeSet("cs");
  std::uint32_t reader = vertexType("Reader", {{"in"}});
  std::uint32_t writer = vertexType("Writer", {{"out", FieldDirection::Output}});
  std::uint32_t both = vertexType("Both", {{"x", FieldDirection::InOut}});

  const Step &plan(std::uint32_t step, const arch::System &system = gc200) {
    image.programs = {step};
    planExchange(image, system);
    return image.steps[step];
  }
  const Step &run(const arch::System &system = gc200) { return plan(execute(cs), system); }
};

std::vector<std::string> names(const Step &step) {
  std::vector<std::string> out;
  for (const auto &phase : step.cost.phases)
    out.push_back(phase.name);
  return out;
}
const Phase &phase(const Step &step, const std::string &name) {
  for (const auto &p : step.cost.phases)
    if (p.name == name)
      return p;
  throw std::runtime_error("no phase " + name);
}
const TileShare &share(const Phase &phase, std::uint32_t tile) {
  for (const auto &s : phase.tiles)
    if (s.tile == tile)
      return s;
  throw std::runtime_error("tile takes no part");
}
using Names = std::vector<std::string>;

} // namespace

TEST(PlanExchange, LocalDataStayWhereTheyAre) {
  Planned t;
  auto a = t.variable("a", 64, {3});
  t.vertex(t.cs, t.reader, 3, {t.span(a, 0, 64)});
  EXPECT_EQ(names(t.run()), Names{"cs"});
}

TEST(PlanExchange, AnInputFromTheNextTileTravelsBeforeComputing) {
  Planned t;
  auto a = t.variable("a", 100, {0});
  t.vertex(t.cs, t.reader, 1, {t.span(a, 0, 100)});
  const auto &step = t.run();
  EXPECT_EQ(names(step), (Names{"sync", "exchange-in", "cs"}));
  EXPECT_EQ(phase(step, "sync").cycles, 237u);
  // 400 bytes at 8 per cycle, for the partner is idle; 20 cycles to a tile of the same row and
  // column.
  const auto &exchange = phase(step, "exchange-in");
  EXPECT_EQ(exchange.cycles, 70u);
  EXPECT_EQ(exchange.bytes, 400u);
  EXPECT_EQ(exchange.messages, 1u);
  EXPECT_EQ(share(exchange, 0).bytesOut, 400u);
  EXPECT_EQ(share(exchange, 1).bytesIn, 400u);
  // Two sends of up to 64 words and a wait; one receive.
  auto code = unsigned(MemoryCategory::InternalExchangeCode);
  EXPECT_EQ(t.image.memory.tiles[0].category[code], 2 * 4u + 6u);
  EXPECT_EQ(t.image.memory.tiles[1].category[code], 18u);
}

TEST(PlanExchange, OutputsTravelAfterwardsAndInOutsBothWays) {
  Planned t;
  auto a = t.variable("a", 100, {0});
  t.vertex(t.cs, t.writer, 1, {t.span(a, 0, 100)});
  EXPECT_EQ(names(t.run()), (Names{"cs", "sync", "exchange-out"}));
  EXPECT_EQ(share(phase(t.image.steps.back(), "exchange-out"), 0).bytesIn, 400u);
  Planned u;
  auto b = u.variable("b", 100, {0});
  u.vertex(u.cs, u.both, 1, {u.span(b, 0, 100)});
  EXPECT_EQ(names(u.run()), (Names{"sync", "exchange-in", "cs", "sync", "exchange-out"}));
}

TEST(PlanExchange, ABroadcastLeavesItsSenderOnce) {
  Planned t;
  auto a = t.variable("a", 1000, {0});
  for (std::uint32_t tile = 8; tile != 24; ++tile)
    for (int worker = 0; worker != 6; ++worker)
      t.vertex(t.cs, t.reader, tile, {t.span(a, 0, 1000)});
  const auto &exchange = phase(t.run(), "exchange-in");
  EXPECT_EQ(share(exchange, 0).bytesOut, 4000u);
  EXPECT_EQ(share(exchange, 9).bytesIn, 4000u);
  EXPECT_EQ(exchange.bytes, 16 * 4000u);
  // Partners take the same stream: 500 cycles, and a route of 5 rows.
  EXPECT_EQ(exchange.cycles, 500u + 20u + 2 * 5u);
}

TEST(PlanExchange, OverlappingNeedsLeaveTheirHomeOnce) {
  Planned t;
  auto a = t.variable("a", 40,
                      {0, 2, 4, 6}); // each reader wants its own ten elements and ten on each side
  for (std::uint32_t i = 0; i != 4; ++i)
    t.vertex(t.cs, t.reader, 2 * i, {t.span(a, i ? 10 * i - 10 : 0, i < 3 ? 10 * i + 20 : 40)});
  const auto &exchange = phase(t.run(), "exchange-in");
  EXPECT_EQ(share(exchange, 2).bytesIn, 80u);
  EXPECT_EQ(share(exchange, 2).bytesOut, 40u);
  EXPECT_EQ(share(exchange, 0).bytesIn, 40u);
  EXPECT_EQ(exchange.messages, 6u);
}

TEST(PlanExchange, AFieldOfLocalAndRemotePartsIsPutTogetherByACopy) {
  Planned t;
  auto a = t.variable("a", 40, {0, 1});
  t.vertex(t.cs, t.reader, 0, {t.span(a, 10, 30)});
  const auto &step = t.run();
  EXPECT_EQ(names(step), (Names{"sync", "exchange-in", "copy-in", "cs"}));
  // Two pieces, one after the other, at 8 bytes per cycle.
  EXPECT_EQ(phase(step, "copy-in").cycles, 2 * 288u + 10u);
}

TEST(PlanExchange, RowsOfABlockArePutTogetherByACopy) {
  Planned t;
  auto m = t.variable("m", 32, {0, 1, 0, 1, 0, 1, 0, 1}); // 4 x 8, left half on tile 0
  TestEdge left;
  for (int row = 0; row != 4; ++row)
    left.push_back({m, row * 8, 4, 1});
  t.vertex(t.cs, t.reader, 0, {{left}});
  t.vertex(t.cs, t.reader, 0, {{left}}); // the second reader uses the same copy
  const auto &step = t.run();
  EXPECT_EQ(names(step), (Names{"copy-in", "cs"}));
  EXPECT_EQ(phase(step, "copy-in").cycles, 587u + 38u); // a list of 4 pieces of 9.4
  Planned u; // pieces that follow each other in the variable need none
  auto n = u.variable("n", 32);
  u.vertex(u.cs, u.both, 0, {{{{n, 0, 8, 1}, {n, 8, 8, 1}}}});
  EXPECT_EQ(names(u.run()), Names{"cs"});
}

TEST(PlanExchange, SpansArePackedWhenTheirCodeWouldFillTheTile) {
  Planned t;
  auto a = t.variable("a", 6000, {0});
  t.vertex(t.cs, t.reader, 4, {{{{a, 0, 2000, 3}}}});
  const auto &step = t.run();
  EXPECT_EQ(names(step), (Names{"pack", "sync", "exchange-in", "copy-in", "cs"}));
  EXPECT_EQ(phase(step, "exchange-in").messages, 1u);
  EXPECT_EQ(phase(step, "exchange-in").bytes, 8000u);
  // Atom by atom, 4 bytes each: 587 + 3.1 per byte.
  EXPECT_EQ(phase(step, "pack").cycles, 587u + 24800u);
  Planned few; // the second span of a sender follows closely
  auto b = few.variable("b", 6000, {0});
  few.vertex(few.cs, few.reader, 4, {{{{b, 0, 100, 1}, {b, 200, 100, 1}}}});
  EXPECT_EQ(names(few.run()), (Names{"sync", "exchange-in", "cs"}));
  EXPECT_EQ(phase(few.image.steps.back(), "exchange-in").cycles, 100u + 3u + 20u + 2u);
}

TEST(PlanExchange, ASecondExecutionSharesTheFirstOnesCode) {
  Planned t;
  auto a = t.variable("a", 100, {0});
  t.vertex(t.cs, t.reader, 1, {t.span(a, 0, 100)});
  auto first = t.execute(t.cs), second = t.execute(t.cs);
  t.plan(t.sequence({first, second}));
  EXPECT_EQ(t.image.steps[first].cost.cycles(), t.image.steps[second].cost.cycles());
  EXPECT_EQ(t.image.memory.tiles[1].category[unsigned(MemoryCategory::InternalExchangeCode)], 18u);
}

TEST(PlanExchange, ACopyMovesRemotePartsAndCopiesLocalOnes) {
  Planned t;
  auto a = t.variable("a", 40, {0, 1}), b = t.variable("b", 40, {0, 2});
  const auto &step = t.plan(t.copy(a, b));
  EXPECT_EQ(names(step), (Names{"sync", "exchange", "copy"}));
  EXPECT_EQ(phase(step, "exchange").bytes, 80u);
  ASSERT_EQ(phase(step, "copy").tiles.size(), 1u);
  EXPECT_EQ(share(phase(step, "copy"), 0).bytesIn, 80u);
  EXPECT_EQ(phase(step, "copy").cycles, 288u + 10u);
}

TEST(PlanExchange, ABroadcastCopyArrivesOnceAndFillsOnTheTile) {
  Planned t;
  auto a = t.variable("a", 10, {0}), b = t.variable("b", 80, {0, 1});
  const auto &step = t.plan(t.copy(a, 0, b, 0, {{8, 0, 10}, {10, 1, 1}}));
  EXPECT_EQ(phase(step, "exchange").bytes, 40u);
  EXPECT_EQ(share(phase(step, "copy"), 1).bytesIn, 120u);
  EXPECT_EQ(share(phase(step, "copy"), 0).bytesIn, 160u);
}

TEST(PlanExchange, ATransposeOverAllTilesKeepsExactBytes) {
  Planned t;
  constexpr std::uint64_t n = 4096;
  auto a = t.variable("a", n * n, firstTiles(1472)), b = t.variable("b", n * n, firstTiles(1472));
  const auto &step = t.plan(t.copy(a, 0, b, 0, {{n, 1, std::int64_t(n)}, {n, std::int64_t(n), 1}}));
  const auto &exchange = phase(step, "exchange");
  EXPECT_EQ(exchange.tiles.size(), 1472u);
  auto perTile = 4 * base::ceilDiv(n * n, 1472);
  EXPECT_NEAR(double(share(exchange, 700).bytesIn), double(perTile) * 1471 / 1472, 8);
  EXPECT_NEAR(double(share(exchange, 700).bytesOut), double(perTile) * 1471 / 1472, 8);
  EXPECT_EQ(exchange.messages, 1472u * 1472u);
  EXPECT_EQ(names(step), (Names{"pack", "sync", "exchange", "copy"}));
}

// Matrices of 64 tiles each: too many pieces to walk, but a tile talks to those of its matrix only.
TEST(PlanExchange, TransposesOfManyMatricesKeepToTheirTiles) {
  Planned t;
  constexpr std::uint64_t n = 1024, matrices = 23;
  auto a = t.variable("a", matrices * n * n, firstTiles(1472));
  auto b = t.variable("b", matrices * n * n, firstTiles(1472));
  const auto &step = t.plan(t.copy(
      a, 0, b, 0,
      {{matrices, std::int64_t(n * n), std::int64_t(n * n)}, {n, 1, n}, {n, std::int64_t(n), 1}}));
  EXPECT_EQ(phase(step, "exchange").messages, 1472u * 64u);
}

// 600 x 600 rows of a grid, cut in two: as many pieces as a walk refuses, but none of them travels
// where both variables lie alike. A part that lies elsewhere travels, and only that.
TEST(PlanExchange, LargeCopiesBetweenEqualMappingsStayOnTheirTiles) {
  Planned t;
  constexpr std::uint64_t rows = 600 * 600, row = 4, tiles = 1024;
  auto a = t.variable("a", rows * row), b = t.variable("b", rows * row);
  std::vector<MappedRange> mapping;
  for (std::uint64_t i = 0; i != 2 * rows; ++i)
    mapping.push_back({i * row / 2, (i + 1) * row / 2, std::uint32_t(i % tiles)});
  t.image.variables[a].mapping = t.image.variables[b].mapping = mapping;
  const auto &step = t.plan(t.copy(a, b));
  EXPECT_EQ(names(step), Names{"copy"});
  EXPECT_EQ(share(phase(step, "copy"), 0).bytesIn, base::ceilDiv(2 * rows, tiles) * 8);

  for (std::uint64_t i = 0; i != 100; ++i)
    mapping[i * tiles].tile = 1;
  t.image.variables[b].mapping = mapping;
  const auto &second = t.plan(t.copy(a, b));
  EXPECT_EQ(phase(second, "exchange").bytes, 100u * 8);
  EXPECT_EQ(share(phase(second, "exchange"), 1).bytesIn, 100u * 8);
}

TEST(PlanExchange, ASmallTransposeIsWalkedPairByPair) {
  Planned t;
  auto a = t.variable("a", 64, firstTiles(8)), b = t.variable("b", 64, firstTiles(8));
  const auto &step = t.plan(t.copy(a, 0, b, 0, {{8, 1, 8}, {8, 8, 1}}));
  const auto &exchange = phase(step, "exchange");
  EXPECT_EQ(exchange.bytes, 56 * 4u);
  EXPECT_EQ(exchange.messages, 56u);
  EXPECT_EQ(share(exchange, 3).bytesIn, 28u);
  EXPECT_EQ(share(exchange, 3).bytesOut, 28u);
  // 7 words, and 6 changes of sender; tiles 0 to 7 stand in two rows.
  EXPECT_EQ(exchange.cycles, 7u + 60u + 20u + 2u);
}

TEST(PlanExchange, DataForAnotherIpuTakeTheLinks) {
  auto two = arch::systemOf(arch::chipByName("ipu2"), 2);
  Planned t;
  auto a = t.variable("a", 1000, {0});
  for (auto tile : {1u, 1472u, 1473u})
    t.vertex(t.cs, t.reader, tile, {t.span(a, 0, 1000)});
  const auto &step = t.run(two);
  EXPECT_EQ(names(step), (Names{"sync", "exchange-in", "sync", "global-exchange-in", "cs"}));
  EXPECT_EQ(step.cost.phases[0].cycles, arch::syncCycles(two, arch::SyncScope::Ipu));
  EXPECT_EQ(step.cost.phases[2].cycles, arch::syncCycles(two, arch::SyncScope::AllIpus));
  const arch::Flow flow{0, 1, 4000};
  const auto &global = phase(step, "global-exchange-in");
  EXPECT_EQ(global.kind, PhaseKind::GlobalExchange);
  EXPECT_GE(global.cycles, arch::linkExchange(two, std::span(&flow, 1)).cycles);
  EXPECT_EQ(share(global, 1472).bytesIn, 4000u);
  EXPECT_EQ(share(global, 0).bytesOut, 4000u);
  EXPECT_EQ(share(phase(step, "exchange-in"), 1).bytesIn, 4000u);
}

TEST(PlanExchange, AStreamWaitsForTheHostUnlessItIsPrefetched) {
  Planned t;
  auto a = t.variable("a", 1472 * 100, firstTiles(1472));
  t.image.streams = {{"in", TypeId::Float, 1472 * 100, true, false, 1}};
  auto index = t.put(step::HostToDevice{0, {{none, a, 0, 0, 4, {{1472 * 100, 1, 1}}}}});
  const auto &step = t.plan(index);
  EXPECT_EQ(names(step), (Names{"sync", "host-exchange", "exchange"}));
  arch::HostTransfer transfer;
  transfer.bytesPerIpu = transfer.bytesAllIpus = 1472 * 400;
  transfer.busiestTileBytes = 400;
  auto expected = arch::streamCopy(gc200, transfer);
  EXPECT_EQ(step.cost.cycles(), expected.total());
  EXPECT_EQ(phase(step, "host-exchange").bytes, 1472 * 400u);
  t.image.streams[0].bufferingDepth = 2;
  t.image.steps[index].cost = {};
  EXPECT_LT(t.plan(index).cost.cycles(), expected.total() - 50000);
}

TEST(PlanExchange, OfDataThatAreFetchedAheadARunWaitsForTheFirst) {
  Planned t;
  auto a = t.variable("a", 100, {0});
  t.image.streams = {{"in", TypeId::Float, 100, true, false, 1}};
  auto in = t.put(step::HostToDevice{0, {{none, a, 0, 0, 4, {{100, 1, 1}}}}});
  auto loop = t.repeat(10, in);
  const auto waits = t.plan(loop).cost.cycles() + t.image.steps[in].cost.cycles();
  EXPECT_EQ(t.image.programs, std::vector<std::uint32_t>{loop});
  t.image.options["exchange.streamBufferOverlap"] = "hostRearrangeOnly";
  t.plan(loop);
  const auto *program = as<step::Sequence>(t.image.steps[t.image.programs[0]]);
  ASSERT_TRUE(program && program->parts.size() == 2);
  EXPECT_EQ(program->parts[1], loop);
  // The first transfer takes as long as it does without; the others do not wait.
  EXPECT_EQ(t.image.steps[program->parts[0]].cost.cycles() + t.image.steps[in].cost.cycles(),
            waits);
  EXPECT_EQ(phase(t.image.steps[in], "sync").cycles,
            arch::syncCycles(gc200, arch::SyncScope::AllIpus));

  // What stands before the loop, the start of a clock, comes before the wait.
  auto whole = t.sequence({t.sequence({t.copy(a, a), loop}), t.copy(a, a)});
  t.plan(whole);
  EXPECT_EQ(t.image.programs, std::vector<std::uint32_t>{whole});
  const auto *inner =
      as<step::Sequence>(t.image.steps[as<step::Sequence>(t.image.steps[whole])->parts[0]]);
  ASSERT_EQ(inner->parts.size(), 3u);
  EXPECT_TRUE(is<step::Sync>(t.image.steps[inner->parts[1]]));
  EXPECT_EQ(inner->parts[2], loop);
}

TEST(PlanExchange, CopiesBetweenReplicasTakeTheLinks) {
  auto two = arch::systemOf(arch::chipByName("ipu2"), 2);
  Planned t;
  t.image.replicationFactor = 2;
  auto a = t.variable("a", 1000, {0}), b = t.variable("b", 1000, {7});
  t.put(step::CrossReplicaCopy{{{a, b, 0, 0, 4, {{1000, 1, 1}}}}, {{0, 1}, {1, 0}}});
  const auto &planned = t.plan(t.lastStep(), two);
  EXPECT_EQ(names(planned), (Names{"sync", "global-exchange"}));
  const arch::Flow flows[] = {{0, 1, 4000}, {1, 0, 4000}};
  EXPECT_GE(phase(planned, "global-exchange").cycles, arch::linkExchange(two, flows).cycles);
}

TEST(PlanExchange, StreamsThatFollowEachOtherWaitOnce) {
  Planned t;
  t.image.streams = {{"in", TypeId::Float, 10, true, false, 1}};
  auto in = [&] {
    auto a = t.variable("a", 10, {0});
    return t.put(step::HostToDevice{0, {{none, a, 0, 0, 4, {{10, 1, 1}}}}});
  };
  auto first = in(), second = in(), a = t.variable("a", 10, {0}),
       result = t.put(step::DeviceToHost{0, {{a, none, 0, 0, 4, {{10, 1, 1}}}}});
  t.plan(t.sequence({first, second, result}));
  auto wait = [&](std::uint32_t step) { return phase(t.image.steps[step], "sync").cycles; };
  EXPECT_GT(wait(first), 50000u);
  EXPECT_EQ(wait(second), arch::syncCycles(gc200, arch::SyncScope::AllIpus));
  EXPECT_EQ(wait(result), wait(first));
}
