// SPDX-License-Identifier: MIT
#include "poplin/ConvPlan.hpp"
#include <gtest/gtest.h>
#include <poplar/Graph.hpp>

using namespace poplin;

namespace {

// Elements per tile; fails when an element has none.
std::vector<std::size_t> load(const poplar::Graph &graph, const poplar::Tensor &t) {
  std::vector<std::size_t> perTile;
  std::size_t all = 0;
  for (const auto &regions : graph.getTileMapping(t)) {
    perTile.push_back(0);
    for (const auto &region : regions)
      perTile.back() += region.size();
    all += perTile.back();
  }
  EXPECT_EQ(all, t.numElements());
  return perTile;
}

} // namespace

TEST(ConvMapping, OperandsAreSpreadEvenlyOverTheTilesOfThePlan) {
  const auto target = poplar::Target::createIPUTarget(1, 64, "ipu2");
  poplar::Graph graph(target);
  const ConvParams p(poplar::HALF, 4, {16, 16}, {3, 3}, 32, 48, 1);
  auto options = ConvOptions();
  options.remapOutputTensor = false;
  const auto plan = planConvolution(target, p, options, nullptr);
  // Channels last, seen in the public order.
  const auto in = graph.addVariable(poplar::HALF, {4, 16, 16, 32}, "in").dimShuffle({0, 3, 1, 2});
  const auto weights = graph.addVariable(poplar::HALF, {1, 48, 32, 3, 3}, "w");
  const auto out = graph.addVariable(poplar::HALF, {4, 14, 14, 48}, "out").dimShuffle({0, 3, 1, 2});
  mapInput(graph, in, p, plan);
  mapWeights(graph, weights, p, plan);
  mapOutput(graph, out, p, plan);
  for (const auto &t : {in, weights, out}) {
    const auto perTile = load(graph, t);
    const auto most = *std::max_element(perTile.begin(), perTile.end());
    EXPECT_LE(most, 2 * t.numElements() / plan.tilesUsed() + 32);
    for (unsigned tile = plan.tilesUsed(); tile < 64; ++tile)
      EXPECT_EQ(perTile[tile], 0u);
  }
}

TEST(ConvMapping, RemappedOutputsUseAllTilesAndDitheredPlansStartElsewhere) {
  const auto target = poplar::Target::createIPUTarget(1, 64, "ipu2");
  poplar::Graph graph(target);
  const ConvParams p(poplar::FLOAT, 64, {1}, {1}, 8, 16, 1);
  auto options = ConvOptions();
  options.enableConvDithering = true;
  auto plan = planConvolution(target, p, options, nullptr);
  plan.partition.batchSplit = 2;
  plan.partition.outChanSplit.parallel = plan.partition.inChanSplit.parallel = 1;
  const auto in = graph.addVariable(poplar::FLOAT, {64, 8, 1}, "in");
  const auto out = graph.addVariable(poplar::FLOAT, {64, 16, 1}, "out");
  mapInput(graph, in, p, plan);
  mapOutput(graph, out, p, plan);
  const auto inputs = load(graph, in), outputs = load(graph, out);
  EXPECT_GT(inputs[plan.startTile], 0u);
  EXPECT_EQ(std::count(inputs.begin(), inputs.end(), 0u), 62);
  EXPECT_EQ(std::count(outputs.begin(), outputs.end(), 0u), 0);
}

// The published blur copies its result back into its input: no pixel may change its tile.
TEST(ConvMapping, PixelsOfFewChannelsLieWhereTheirInputsDo) {
  const auto target = poplar::Target::createIPUTarget(1, "ipu1");
  poplar::Graph graph(target);
  ConvParams p(poplar::HALF, 1, {1122, 2200}, {3, 3}, 4, 4, 1);
  p.inputTransform.paddingLower = p.inputTransform.paddingUpper = {1, 1};
  ConvOptions options;
  options.planConstraints = R"({"0": {"partition": {"fieldSplit": {"0": 33, "1": 36}}}})";
  const auto plan = planConvolution(target, p, options, nullptr);
  ASSERT_LT(plan.tilesUsed(), target.getNumTiles());
  const auto image = [&](const char *name) {
    return graph.addVariable(poplar::HALF, {1, 1122, 2200, 4}, name).dimShuffle({0, 3, 1, 2});
  };
  const auto in = image("in"), out = image("out");
  mapInput(graph, in, p, plan);
  mapOutput(graph, out, p, plan);
  EXPECT_EQ(graph.getTileMapping(in), graph.getTileMapping(out));
}

TEST(ConvMapping, GroupsOfProductsStayContiguous) {
  const auto target = poplar::Target::createIPUTarget(1, 64, "ipu2");
  poplar::Graph graph(target);
  const ConvParams p(poplar::FLOAT, 20, {1}, {1}, 8, 16, 30);
  const auto plan = planConvolution(target, p, {}, nullptr);
  const auto a = graph.addVariable(poplar::FLOAT, {30, 20, 8}, "a");
  mapInput(graph, a.dimShuffle({1, 0, 2}).reshape({20, 240, 1}), p, plan);
  std::size_t regions = 0;
  for (const auto &tile : graph.getTileMapping(a))
    regions += tile.size();
  EXPECT_LE(regions, 64u);
  EXPECT_GT(regions, 30u);
}
