// SPDX-License-Identifier: MIT
#include "openipu/Chip.hpp"
#include "popops/PerformanceEstimation.hpp"
#include "popops/ReduceCost.hpp"
#include "Session.hpp"
#include <set>

using namespace poplar;
using popops::Operation;
namespace cost = popops::cost;

namespace {

TEST(ReducePlan, AddsUpWhereTheInputLiesWhenNoOutputIsSpread) {
  Session s(16);
  auto in = s.graph.addVariable(FLOAT, {16, 128}, VariableMappingMethod::LINEAR);
  auto plan = cost::reducePlan(s.graph, in, {1}, Operation::ADD, FLOAT);
  ASSERT_EQ(plan.steps.size(), 1u);
  ASSERT_EQ(plan.steps[0].tiles.size(), 1u);
  EXPECT_EQ(plan.steps[0].tiles[0].count, 16u);
  EXPECT_EQ(plan.steps[0].tiles[0].bytesIn, 0u);
  // Six workers take 22 values each: 17 + 2 * (22 / 4) + 22 % 4. One adds six: 16 + 3 + 2 + 3 + 5.
  EXPECT_EQ(plan.steps[0].tiles[0].cycles, 6u * (29 + 29));
}

TEST(ReducePlan, SendsPartialsToTheOutput) {
  Session s(4);
  auto in = s.graph.addVariable(FLOAT, {2048}, VariableMappingMethod::LINEAR);
  auto out = s.graph.addVariable(HALF, {}, "out");
  s.graph.setTileMapping(out, 3);
  auto plan = cost::reducePlan(s.graph, in, out, {0}, Operation::ADD, "Sum");
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps[0].name, "Sum/ReduceOnTile");
  const auto &last = plan.steps[1];
  EXPECT_EQ(last.name, "Sum/ReduceFinalStage");
  std::uint64_t in3 = 0, sent = 0;
  for (const auto &work : last.tiles) {
    in3 += work.bytesIn;
    sent += work.bytesOut * work.count;
  }
  EXPECT_EQ(in3, 4u * 4); // floats, because the output is half
  EXPECT_EQ(sent, 4u * 4);
}

// 1472 messages to one tile would take 15000 cycles and 26 KB of code there.
TEST(ReducePlan, GoesThroughIntermediateTilesWhenVeryManyContribute) {
  Session s(1472);
  auto in = s.graph.addVariable(FLOAT, {1472 * 128}, VariableMappingMethod::LINEAR);
  auto plan = cost::reducePlan(s.graph, in, {0}, Operation::ADD, FLOAT, "");
  ASSERT_EQ(plan.steps.size(), 3u);
  std::uint64_t ways = 1;
  for (const auto &step : plan.steps) {
    std::uint32_t most = 1;
    for (const auto &work : step.tiles)
      most = std::max(most, work.messagesIn);
    EXPECT_LE(most, 39u) << step.name; // the root of 1472
    ways *= most;
  }
  EXPECT_GE(ways, 1472u); // every tile's sum arrives
  EXPECT_LT(openipu::cyclesOf(plan, s.graph.getTarget()), 4000u);
}

// Sums of 64 channels that lie on all tiles: most tiles need code for few messages.
TEST(ReducePlan, FewTilesTakeMoreEachWhenThatCostsLittle) {
  Session s(1472);
  auto in = s.graph.addVariable(FLOAT, {1472, 8, 64}, VariableMappingMethod::LINEAR);
  auto plan = cost::reducePlan(s.graph, in, {0, 1}, Operation::ADD, FLOAT, "");
  std::uint64_t messages = 0;
  for (const auto &step : plan.steps)
    for (const auto &work : step.tiles)
      messages += std::uint64_t(work.messagesIn) * work.count;
  EXPECT_LT(messages, 16u * 1472);
}

TEST(ReducePlan, ReductionsThatLieAlikeShareTheirMessages) {
  Session s(64);
  auto in = s.graph.addVariable(FLOAT, {64, 4, 16}, VariableMappingMethod::LINEAR);
  const auto plan = [&](unsigned alike) {
    cost::ReduceTypes types;
    types.alike = alike;
    return cost::reducePlan(s.graph, in, {0, 1}, Operation::ADD, FLOAT, "", types);
  };
  const auto cycles = [&](unsigned alike) {
    return openipu::cyclesOf(plan(alike), s.graph.getTarget());
  };
  EXPECT_GT(cycles(2), cycles(1));
  EXPECT_LT(cycles(2), cycles(1) * 3 / 2);
}

TEST(ReducePlan, SmallResultsDoNotAllBeginOnTheFirstTile) {
  Session s(1472);
  auto in = s.graph.addVariable(FLOAT, {1472 * 2, 96}, VariableMappingMethod::LINEAR);
  std::set<unsigned> first;
  for (unsigned columns = 32; columns <= 96; columns += 32) {
    auto out = cost::createReduceOutput(s.graph, in.slice(0, columns, 1), FLOAT, {0}, {});
    first.insert(openipu::elementsByTile(s.graph, out).front().tile);
  }
  EXPECT_GT(first.size(), 1u);
}

TEST(ReducePlan, OneTileNeedsNoExchange) {
  Session s(16);
  auto in = s.graph.addVariable(HALF, {40, 8}, "in");
  s.graph.setTileMapping(in, 5);
  auto out = cost::createReduceOutput(s.graph, in, HALF, {0}, {});
  auto plan = cost::reducePlan(s.graph, in, out, {0}, Operation::MAX);
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].tiles[0].tile, 5u);
  // Two vectors of four outputs: fewer than workers, so three of those share 40 partials of each.
  cost::ReduceVertexShape each{cost::ReduceVertex::Strided, Operation::MAX, HALF, HALF, 4, 14};
  EXPECT_EQ(cost::reduceWorkerCycles(openipu::chipOf(s.graph), each), 16u + 3 + 2 + 3 + 13);
}

TEST(ReducePlan, VertexCyclesFollowTheTables) {
  using cost::ReduceVertex;
  auto cycles = [](ReduceVertex kind, Operation op, Type type, std::uint64_t outputs,
                   std::uint64_t partials) {
    return cost::reduceWorkerCycles(arch::chipByName("ipu2"),
                                    {kind, op, type, type, outputs, partials});
  };
  EXPECT_EQ(cycles(ReduceVertex::ScalarOutput, Operation::ADD, HALF, 1, 800), 17u + 2 * 100 + 5);
  EXPECT_EQ(cycles(ReduceVertex::AllRegionsContinuous, Operation::ADD, FLOAT, 10, 64),
            17u + 10 * 32 + 12 * 10);
  EXPECT_EQ(cycles(ReduceVertex::Strided, Operation::LOG_ADD, FLOAT, 2, 11),
            16u + (3 + 2 + 3 + 23 * 10));
  EXPECT_EQ(cycles(ReduceVertex::Default, Operation::LOGICAL_AND, BOOL, 1, 100),
            7u + 24 + 8 + 22 + 25 * 100);
  // Long lists: 9 cycles for four floats.
  EXPECT_EQ(cycles(ReduceVertex::Default, Operation::ADD, FLOAT, 4, 2000) -
                cycles(ReduceVertex::Default, Operation::ADD, FLOAT, 4, 1000),
            9000u);
}

TEST(ReducePlan, EstimatesForOtherPlannersAreTheSame) {
  EXPECT_EQ(popops::internal::basicOpSupervisorOverhead(true), 13u);
  const Session s(4);
  const auto &target = s.graph.getTarget();
  // 200 vectors of two floats: 34 for each worker.
  EXPECT_EQ(popops::internal::getReduceCycleEstimate(target, Operation::ADD, 400, 10, FLOAT, FLOAT),
            6u * (16 + 34 * (3 + 2 + 3 + 9)));
}

TEST(ReducePlan, OutputsKeepTheOrderOfMemory) {
  Session s(16);
  auto nhwc = s.graph.addVariable(FLOAT, {2, 3, 4, 8}, VariableMappingMethod::LINEAR);
  auto nchw = nhwc.dimShuffle({0, 3, 1, 2});
  auto out = cost::createReduceOutput(s.graph, nchw, FLOAT, {0}, {});
  EXPECT_EQ(out.shape(), (Shape{8, 3, 4}));
  EXPECT_TRUE(out.dimShuffle({1, 2, 0}).isContiguous());
}

} // namespace
