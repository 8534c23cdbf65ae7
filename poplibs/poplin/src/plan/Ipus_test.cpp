// SPDX-License-Identifier: MIT
// Convolutions of graphs with several IPUs: shares, what crosses the links, and where operands lie.
#include "Ipus.hpp"
#include <gtest/gtest.h>
#include <numeric>
#include <poplar/exceptions.hpp>
#include <poplar/Graph.hpp>

using namespace poplin;

namespace {

poplar::Target target(unsigned ipus, const char *chip = "ipu1") {
  return poplar::Target::createIPUTarget(ipus, chip);
}

// The published blur: 4 to 4 channels of an image of floats.
ConvParams blur(std::size_t height, std::size_t width) {
  ConvParams p(poplar::FLOAT, 1, {height, width}, {3, 3}, 4, 4, 1);
  p.inputTransform.paddingLower = p.inputTransform.paddingUpper = {1, 1};
  return p;
}
ConvParams product(std::size_t m, std::size_t k, std::size_t n) {
  return ConvParams(poplar::FLOAT, m, {1}, {1}, k, n, 1);
}

ConvPlan plan(const poplar::Target &on, const ConvParams &p, const char *constraints = "") {
  ConvOptions options;
  options.planConstraints = constraints;
  return planConvolution(on, p, options, nullptr);
}

std::uint64_t bytesOf(const std::vector<openipu::Crossing> &crossings) {
  return std::accumulate(crossings.begin(), crossings.end(), std::uint64_t(0),
                         [](auto sum, const auto &c) { return sum + c.bytes; });
}

} // namespace

TEST(ConvIpus, LargeProblemsUseAllIpusAndSmallOnesUseOne) {
  const auto large = blur(1024, 768);
  const auto alone = plan(target(1), large);
  EXPECT_EQ(alone.ipus.count(), 1u);
  auto before = alone.cycles;
  for (unsigned ipus : {2u, 4u, 16u}) {
    const auto found = plan(target(ipus), large);
    EXPECT_EQ(found.ipus.count(), ipus);
    EXPECT_LT(found.cycles, before);
    EXPECT_GT(found.cycles, alone.cycles / ipus);
    EXPECT_LE(found.tilesUsed(), target(ipus).getNumTiles());
    before = found.cycles;
  }
  EXPECT_EQ(plan(target(2), blur(12, 12)).ipus.count(), 1u);
}

TEST(ConvIpus, EstimateAndSuperstepsAgree) {
  for (const auto &p : {blur(1024, 768), product(4096, 4096, 4096), product(64, 65536, 64)})
    for (unsigned ipus : {2u, 8u}) {
      const auto on = target(ipus);
      const auto found = plan(on, p);
      const auto steps = supersteps(on, p, {}, found);
      EXPECT_NEAR(double(openipu::cyclesOf(steps, on)), double(found.cycles),
                  0.02 * double(found.cycles))
          << p;
      for (const auto &step : steps.steps)
        for (const auto &crossing : step.crossings) {
          EXPECT_LT(crossing.fromTile, on.getNumTiles());
          EXPECT_LT(crossing.toTile, on.getNumTiles());
          EXPECT_NE(crossing.fromTile / on.getTilesPerIPU(), crossing.toTile / on.getTilesPerIPU());
        }
    }
}

TEST(ConvIpus, OnlyHalosAndWeightsCrossWhenTheFieldIsSplit) {
  const auto on = target(2);
  const auto problem = problemOf(blur(1024, 768), {});
  IpuSplit split;
  split.field = {2, 1};
  const auto between = betweenIpus(Machine(on), problem, split, poplar::FLOAT);
  // One row of 768 pixels and half of 3 x 3 x 4 x 4 weights, both ways.
  EXPECT_EQ(bytesOf(between.operands), 2u * (768 * 4 * 4 + 9 * 16 * 4 / 2));
  EXPECT_TRUE(between.partials.empty());
  EXPECT_EQ(between.sumCycles, 0u);
  const auto share = shareOf(problem, split, poplar::FLOAT);
  EXPECT_EQ(share.dims[0].out, 512u);
  EXPECT_EQ(share.dims[0].in, 514u);
}

TEST(ConvIpus, PartialSumsOfSplitInputChannelsCrossAndAreAdded) {
  const auto on = target(4);
  const auto p = product(64, 65536, 64);
  const char *deep = R"({"0": {"partition": {"inChanSplit": {"parallel": 4}}}, "1": {}})";
  const auto found = plan(on, p, deep);
  EXPECT_EQ(found.ipus.inChans, 4u);
  const auto steps = supersteps(on, p, {}, found).steps;
  ASSERT_EQ(steps.back().name, "ReduceBetweenIPUs");
  // Every IPU sends three quarters of its 64 x 64 partial sums.
  EXPECT_EQ(bytesOf(steps.back().crossings), 4u * 3 * 64 * 64 * 4 / 4);
  EXPECT_GT(steps.back().tiles.at(0).cycles, 0u);
}

TEST(ConvIpus, HalfPartialSumsCrossAsHalf) {
  const auto on = target(2);
  ConvOptions options;
  options.planConstraints = R"({"0": {"partition": {"inChanSplit": {"parallel": 2}}}, "1": {}})";
  const ConvParams p(poplar::HALF, 64, {1}, {1}, 65536, 64, 1);
  const auto bytes = [&](poplar::Type type) {
    options.interIpuPartialsType = type;
    return bytesOf(supersteps(on, p, options, planConvolution(on, p, options, nullptr))
                       .steps.back()
                       .crossings);
  };
  EXPECT_EQ(bytes(poplar::FLOAT), 2 * bytes(poplar::HALF));
}

TEST(ConvIpus, ConstraintsLeadToThePlanAgain) {
  const auto on = target(4);
  for (const auto &p : {blur(1024, 768), product(4096, 4096, 4096)}) {
    const auto found = plan(on, p);
    ASSERT_EQ(found.ipus.count(), 4u);
    const auto again = plan(on, p, constraintsOf(found).c_str());
    EXPECT_EQ(again.ipus, found.ipus);
    EXPECT_EQ(again.cycles, found.cycles);
  }
  const auto one =
      plan(on, blur(1024, 768), constraintsOf(plan(target(1), blur(1024, 768))).c_str());
  EXPECT_EQ(one.ipus.count(), 1u);
  EXPECT_THROW(plan(on, product(64, 64, 64), R"({"0": {"partition": {"batchSplit": 3}}, "1": {}})"),
               poplar::invalid_option);
}

TEST(ConvIpus, EveryIpuHoldsItsShare) {
  const auto on = target(2);
  poplar::Graph graph(on);
  const auto p = blur(1024, 768);
  const auto found = plan(on, p);
  ASSERT_EQ(found.ipus.fieldOf(0), 2u);
  const auto image = [&](const char *name) {
    return graph.addVariable(poplar::FLOAT, {1, 1024, 768, 4}, name).dimShuffle({0, 3, 1, 2});
  };
  const auto in = image("in"), out = image("out");
  mapInput(graph, in, p, found);
  mapOutput(graph, out, p, found);
  const auto onIpu = [&](const poplar::Tensor &t, unsigned ipu) {
    const auto mapping = graph.getTileMapping(t);
    std::size_t elements = 0;
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      for (const auto &region : mapping[tile])
        elements += tile / on.getTilesPerIPU() == ipu ? region.size() : 0;
    return elements;
  };
  for (const auto &t : {in, out}) {
    EXPECT_EQ(onIpu(t.slice(0, 512, 2), 0), 512u * 768 * 4);
    EXPECT_EQ(onIpu(t.slice(512, 1024, 2), 1), 512u * 768 * 4);
  }
}
