// SPDX-License-Identifier: MIT
// Plans: within the tiles and the memory, as the constraints say, the same every time, and priced
// as the profile prices them.
#include "Constraints.hpp"
#include "poplin/ConvUtil.hpp"
#include "poputil/exceptions.hpp"
#include "Problem.hpp"
#include "ReferenceConv.hpp"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <poplar/exceptions.hpp>
#include <sstream>

using namespace poplin;

namespace {

const poplar::Target &gc200() {
  static const auto target = poplar::Target::createIPUTarget(1, "ipu2");
  return target;
}

ConvOptions with(const poplar::OptionFlags &flags) { return parseConvOptions(flags); }

ConvParams product(poplar::Type type, std::size_t m, std::size_t k, std::size_t n,
                   std::size_t groups = 1) {
  return ConvParams(type, m, {1}, {1}, k, n, groups);
}

ConvParams conv(poplar::Type type, std::size_t batch, std::size_t size, std::size_t kernel,
                std::size_t in, std::size_t out, std::size_t groups = 1, unsigned stride = 1) {
  ConvParams p(type, batch, {size, size}, {kernel, kernel}, in, out, groups);
  const auto pad = unsigned(kernel / 2);
  p.inputTransform.paddingLower = p.inputTransform.paddingUpper = {pad, pad};
  p.outputTransform.stride = {stride, stride};
  return p;
}

std::vector<ConvParams> samples() {
  const auto half = poplar::HALF, single = poplar::FLOAT;
  const auto layer = conv(half, 8, 28, 3, 32, 48), first = conv(half, 4, 56, 7, 3, 64, 1, 2);
  return {product(single, 1, 1, 1),
          product(single, 1, 1000, 1),
          product(single, 40, 39, 38),
          product(half, 16, 1024, 1024),
          product(half, 1000, 64, 10),
          product(single, 10, 20, 30, 5),
          product(single, 2048, 2048, 2048),
          layer,
          first,
          conv(single, 16, 28, 3, 1, 5),
          conv(half, 4, 28, 3, 1, 1, 256),
          getGradientParams(layer),
          getGradientParams(first),
          getWeightUpdateParams(layer),
          ConvParams(single, 2, {8, 16, 16}, {3, 3, 3}, 8, 16, 1),
          ConvParams(half, 2, {300}, {11}, 5, 7, 3)};
}

ConvPlan plan(const ConvParams &p, const ConvOptions &o = {}) {
  return planConvolution(gc200(), p, o, nullptr);
}

} // namespace

TEST(Planner, UsesNoMoreThanTheTilesAndCoversTheProblem) {
  for (const auto &p : samples()) {
    const auto found = plan(p);
    const auto problem = transformed(problemOf(p, {}), transformOf(found));
    const auto &s = found.partition;
    EXPECT_GE(found.tilesUsed(), 1u);
    EXPECT_LE(found.tilesUsed(), gc200().getNumTiles()) << p;
    EXPECT_LE(s.batchSplit, problem.batch);
    EXPECT_LE(s.convGroupSplit * found.convGroupsPerGroup,
              problem.groups + found.convGroupsPerGroup);
    ASSERT_EQ(s.fieldSplit.size(), problem.dims.size());
    for (unsigned d = 0; d < problem.dims.size(); ++d) {
      EXPECT_LE(s.fieldSplit[d], problem.dims[d].out);
      EXPECT_LE(s.kernelSplit[d], problem.dims[d].kernel);
    }
    EXPECT_EQ(s.kernelSplit.back(), 1u);
    EXPECT_TRUE(s.inChanSplit.serial == 1 || s.outChanSplit.serial == 1);
    EXPECT_GT(found.cycles, 0u);
  }
}

TEST(Planner, EstimateIsWhatTheProfileCharges) {
  for (const auto &p : samples()) {
    const auto found = plan(p);
    const auto steps = supersteps(gc200(), p, {}, found);
    const auto charged = double(openipu::cyclesOf(steps, gc200()));
    EXPECT_NEAR(charged, double(found.cycles), 0.01 * charged + 300) << p;
    std::uint64_t parts = 0;
    for (const auto &part : costsByPart(gc200(), p, {}, found))
      parts += part.cycles * part.repeats;
    EXPECT_NEAR(double(parts), double(found.cycles), 8);
  }
}

TEST(Planner, KeepsWithinTheMemoryItIsGiven) {
  const auto p = product(poplar::HALF, 2048, 2048, 8192);
  std::uint64_t lastCycles = 0;
  for (const char *proportion : {"0.6", "0.3", "0.15", "0.08"}) {
    const auto found = plan(p, with({{"availableMemoryProportion", proportion}}));
    EXPECT_LE(double(found.tempBytes), std::stod(proportion) * gc200().getBytesPerTile());
    EXPECT_GE(found.cycles, lastCycles) << "less memory cannot be faster";
    lastCycles = found.cycles;
  }
}

TEST(Planner, ProportionZeroMinimisesMemory) {
  const auto p = product(poplar::HALF, 512, 512, 512);
  const auto least = plan(p, with({{"availableMemoryProportion", "0"}}));
  for (const char *proportion : {"0.6", "0.01", "0.001"})
    EXPECT_LE(least.tempBytes,
              plan(p, with({{"availableMemoryProportion", proportion}})).tempBytes);
}

TEST(Planner, TooLittleMemoryStillGivesAPlan) {
  const auto p = product(poplar::FLOAT, 1024, 1024, 1024);
  const auto found = plan(p, with({{"availableMemoryProportion", "0.000001"}}));
  EXPECT_GT(found.tempBytes, 1u);
  EXPECT_GT(found.tilesUsed(), 1u);
}

TEST(Planner, SerialSplitsAreRepeats) {
  const auto p = product(poplar::HALF, 2048, 2048, 16384);
  const auto options = with({{"availableMemoryProportion", "0.1"}});
  const auto found = plan(p, options);
  ASSERT_GT(found.serialSplits(), 1u);
  bool repeated = false;
  std::uint64_t flops = 0;
  for (const auto &step : supersteps(gc200(), p, options, found).steps) {
    repeated |= step.name == "Convolve" && step.repeats == found.serialSplits();
    flops += step.flops * step.repeats;
  }
  EXPECT_TRUE(repeated);
  EXPECT_NEAR(double(flops), 2.0 * 2048 * 2048 * 16384, 1e4);
}

// Of a large matrix and a few columns every tile reads its part of the matrix where it lies.
TEST(Planner, OperandsThatStayInPlaceAreNoTemporaries) {
  const auto p = product(poplar::HALF, 4, 4096, 4096);
  const auto options = with({{"partialsType", "half"}});
  const auto found = plan(p, options);
  const auto matrix = 2ull * 4096 * 4096 / gc200().getTilesPerIPU();
  ASSERT_EQ(found.serialSplits(), 1u);
  ASSERT_GT(found.tempBytes, matrix); // the search weighs all that vertices work on
  for (const auto &step : supersteps(gc200(), p, options, found).steps)
    for (const auto &work : step.tiles)
      EXPECT_LT(work.tempBytes + work.bytesIn, matrix / 4) << step.name;
}

TEST(Planner, MethodsFitTheirProblems) {
  const auto half = with({{"partialsType", "half"}});
  EXPECT_EQ(plan(product(poplar::HALF, 256, 256, 256)).method, Method::AMP);
  EXPECT_EQ(plan(conv(poplar::HALF, 16, 28, 3, 1, 1, 256), half).method, Method::SLIC);
  for (const char *method : {"AMP", "SLIC", "HMAC", "VMAC"}) {
    auto options = half;
    options.planConstraints = std::string(R"({"method": {"type": ")") + method + "\"}}";
    const auto found = plan(conv(poplar::HALF, 2, 16, 3, 1, 1, 16), options);
    EXPECT_STREQ(nameOf(found.method), method);
  }
  auto outer = ConvOptions();
  outer.planConstraints = R"({"method": {"type": "OUTER_PRODUCT"}})";
  EXPECT_EQ(plan(product(poplar::FLOAT, 1, 1, 4000), outer).method, Method::OUTER_PRODUCT);
  EXPECT_THROW(plan(product(poplar::FLOAT, 2, 3, 4), outer), poplar::invalid_option);
}

// Whoever asks for a vertex gets it wherever it can compute, also where it does not pay.
TEST(Planner, VectorAndWindowVerticesAreTakenWhereTheyAreAskedFor) {
  const auto asked = [](const char *method, const char *groups, const ConvParams &p) {
    auto options = with({{"partialsType", "half"}});
    options.planConstraints =
        std::string(R"({"method": )") + method + R"(, "convGroupsPerGroup": ")" + groups + "\"}";
    return plan(p, options);
  };
  const auto depthwise = conv(poplar::HALF, 2, 16, 3, 1, 1, 32);
  for (const char *groups : {"4", "8", "16"}) {
    EXPECT_EQ(asked(R"({"type": "VMAC"})", groups, depthwise).convGroupsPerGroup,
              unsigned(std::stoi(groups)));
    EXPECT_EQ(asked(R"({"type": "SLIC"})", groups, depthwise).method, Method::SLIC);
  }
  const char *slic = R"({"type": "SLIC"})";
  EXPECT_EQ(asked(slic, "1", conv(poplar::HALF, 2, 16, 1, 4, 4)).method, Method::SLIC);
  auto strided = conv(poplar::HALF, 2, 16, 3, 1, 1, 32);
  strided.outputTransform.stride = {2, 2};
  EXPECT_EQ(asked(slic, "4", getGradientParams(strided)).method, Method::SLIC);
  strided.outputTransform.stride = {3, 3};
  EXPECT_THROW(asked(slic, "4", strided), poplar::invalid_option);
}

// With two of the four chains every row is passed twice.
TEST(Planner, FewerChainsTakeLonger) {
  const auto chained = [](const char *chains, const char *partials) {
    auto options = with({{"partialsType", partials}});
    options.planConstraints = std::string(R"({"method": {"type": "SLIC", )") +
                              R"("convUnitChainsRequired": ")" + chains + "\"}}";
    return plan(conv(poplar::HALF, 16, 64, 3, 4, 4), options);
  };
  EXPECT_EQ(chained("2", "half").convUnitChains, 2u);
  EXPECT_EQ(chained("4", "half").convUnitChains, 4u);
  EXPECT_GT(chained("2", "half").cycles, chained("4", "half").cycles);
  EXPECT_EQ(chained("2", "float").convUnitChains, 2u);
  for (const char *chains : {"1", "3", "8"})
    EXPECT_THROW(chained(chains, "half"), poplar::invalid_option) << chains;
  EXPECT_THROW(chained("4", "float"), poplar::invalid_option);
}

// The zeros between the elements of a dilated input are work for a vertex that skips none.
TEST(Planner, ZerosOfADilatedInputAreWrittenForWindowVertices) {
  auto options = with({{"partialsType", "half"}});
  options.planConstraints = R"({"method": {"type": "SLIC"}})";
  auto dilated = conv(poplar::HALF, 4, 31, 3, 4, 4);
  dilated.inputTransform.dilation = {2, 2};
  const auto written = conv(poplar::HALF, 4, 61, 3, 4, 4);
  const auto found = plan(dilated, options);
  EXPECT_GE(found.cycles, plan(written, options).cycles / 2);
  const auto charged =
      double(openipu::cyclesOf(supersteps(gc200(), dilated, options, found), gc200()));
  EXPECT_NEAR(charged, double(found.cycles), 0.01 * charged + 300);
}

TEST(Planner, FollowsConstraints) {
  auto options = ConvOptions();
  options.planConstraints = R"({"inChansPerGroup": 8, "partialChansPerGroup": 16,
    "0": {"transform": {"swapOperands": false},
          "partition": {"batchSplit": 3, "fieldSplit": {"0": 2}, "kernelSplit": {"0": 3},
                        "inChanSplit": {"serial": 2, "parallel": 2},
                        "outChanSplit": {"parallel": 2}}}})";
  const auto found = plan(conv(poplar::FLOAT, 4, 14, 3, 64, 64), options);
  EXPECT_EQ(found.inChansPerGroup, 8u);
  EXPECT_EQ(found.partialChansPerGroup, 16u);
  EXPECT_EQ(found.partition.batchSplit, 3u);
  EXPECT_EQ(found.partition.fieldSplit[0], 2u);
  EXPECT_EQ(found.partition.kernelSplit[0], 3u);
  EXPECT_EQ(found.partition.inChanSplit.serial, 2u);
  EXPECT_EQ(found.partition.inChanSplit.parallel, 2u);
  EXPECT_EQ(found.partition.outChanSplit.parallel, 2u);
  options.planConstraints = R"({"0": {"partition": {"batchSplit": 5}}})";
  EXPECT_THROW(plan(conv(poplar::FLOAT, 4, 14, 3, 64, 64), options), poplar::invalid_option);
  options.planConstraints = R"({"0": {"transform": {"expandDims": [2]}}})";
  EXPECT_THROW(plan(conv(poplar::FLOAT, 4, 14, 3, 64, 64), options), poplar::invalid_option);
}

// A serial split may leave less than a group of channels for each step; the vertex pads it.
TEST(Planner, SerialSplitsMayCutGroupsOfChannels) {
  const auto half = with({{"partialsType", "half"}});
  for (const char *method : {"AMP", "SLIC", "VMAC", "HMAC"})
    for (const char *which : {"inChanSplit", "outChanSplit"}) {
      auto options = half;
      options.planConstraints =
          std::string(R"({"method": {"type": ")") + method +
          R"("}, "0": {"transform": {"swapOperands": false}, "partition": {")" + which +
          R"(": {"serial": 8}}}})";
      const auto found = plan(conv(poplar::HALF, 2, 16, 3, 16, 16), options);
      EXPECT_STREQ(nameOf(found.method), method) << which;
      EXPECT_EQ(found.serialSplits(), 8u) << method << which;
    }
  auto options = half;
  options.planConstraints = R"({"0": {"partition": {"outChanSplit": {"serial": 17}}}})";
  EXPECT_THROW(plan(conv(poplar::HALF, 2, 16, 3, 16, 16), options), poplar::invalid_option);
}

TEST(Planner, FollowsConstraintsOnTransforms) {
  const auto constrained = [](const char *transform, const ConvParams &p) {
    auto options = ConvOptions();
    options.planConstraints = std::string(R"({"0": {"transform": )") + transform + "}}";
    return plan(p, options);
  };
  const auto few = conv(poplar::HALF, 4, 14, 3, 3, 8),
             groups = conv(poplar::HALF, 4, 14, 3, 1, 1, 8);
  EXPECT_EQ(constrained(R"({"expandDims": [1]})", few).expandDims, std::vector<unsigned>{1});
  EXPECT_TRUE(constrained(R"({"expandDims": []})", few).expandDims.empty());
  EXPECT_EQ(constrained(R"({"outChanFlattenDims": [0]})", few).outChanFlattenDims,
            std::vector<unsigned>{0});
  EXPECT_TRUE(constrained(R"({"swapOperands": true})", few).swapOperands);
  EXPECT_EQ(constrained(R"({"combineConvGroupsFactor": 8})", groups).combineConvGroupsFactor, 8u);
}

TEST(Planner, AWrittenPlanLeadsToItself) {
  const auto p = conv(poplar::HALF, 4, 20, 3, 24, 40);
  const std::string file = testing::TempDir() + "openipu_plan_constraints.json";
  const auto found = plan(p, with({{"planConstraintsOutputFilename", file}}));
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::remove(file.c_str());
  const auto again = plan(p, with({{"planConstraints", text.str()}}));
  EXPECT_EQ(constraintsOf(again), constraintsOf(found));
  EXPECT_EQ(again.cycles, found.cycles);
  EXPECT_THROW(plan(p, with({{"planConstraintsOutputFilename", "/no/such/folder/plan"},
                             {"availableMemoryProportion", "0.59"}})),
               poputil::poplibs_error);
}

TEST(Planner, TheLargerSideOfAProductBecomesOutputChannels) {
  EXPECT_TRUE(plan(product(poplar::HALF, 1024, 256, 8)).swapOperands);
  EXPECT_FALSE(plan(product(poplar::HALF, 8, 256, 1024)).swapOperands);
  EXPECT_EQ(plan(product(poplar::HALF, 1024, 256, 8)).cycles,
            plan(product(poplar::HALF, 8, 256, 1024)).cycles);
}

TEST(Planner, OptionsChangeThePlan) {
  const auto p = product(poplar::HALF, 256, 1024, 1024);
  const auto base = plan(p);
  EXPECT_LT(plan(p, with({{"use128BitConvUnitLoad", "true"}})).cycles, base.cycles);
  EXPECT_LT(plan(p, with({{"enableFastReduce", "true"}})).cycles, base.cycles);
  EXPECT_LT(plan(p, with({{"partialsType", "half"}})).cycles, base.cycles);
  const auto deep = product(poplar::FLOAT, 16, 16384, 16);
  EXPECT_GT(plan(deep, with({{"enableMultiStageReduce", "false"}})).cycles, plan(deep).cycles);
  EXPECT_GT(plan(p, with({{"gatherConvOutput", "true"}})).cycles, base.cycles);
  EXPECT_FALSE(plan(p, with({{"remapOutputTensor", "false"}})).remapOutput);
  const auto small = conv(poplar::HALF, 16, 28, 3, 2, 16);
  const auto plain = plan(small, with({{"disableTransformations", "true"}}));
  EXPECT_TRUE(plain.expandDims.empty() && !plain.swapOperands);
  EXPECT_GE(plain.cycles, plan(small).cycles);
  const auto named = supersteps(gc200(), p, with({{"disableSRForAMPVertices", "true"}}), base);
  EXPECT_EQ(named.steps[0].vertex, "poplin::ConvPartial1x1Out<half,float,true,false,8,4,true>");
}

TEST(Planner, DitheringMovesTheStartToAnEvenTileOfTheHash) {
  const auto options = with({{"enableConvDithering", "true"}});
  const auto a = product(poplar::HALF, 32, 64, 96), b = product(poplar::HALF, 32, 64, 80);
  const auto first = plan(a, options), second = plan(b, options);
  EXPECT_NE(first.startTile, second.startTile);
  EXPECT_EQ(first.startTile % 2, 0u);
  for (const auto &step : supersteps(gc200(), a, options, first).steps) {
    unsigned tiles = 0, end = 0;
    for (const auto &work : step.tiles) {
      EXPECT_GE(work.tile, end);
      end = work.tile + work.count;
      tiles += work.count;
    }
    EXPECT_LE(end, gc200().getNumTiles());
    EXPECT_EQ(tiles, first.tilesUsed());
  }
}

TEST(Planner, PassesOfAFullyConnectedLayerSharePartitions) {
  const auto type = poplar::FLOAT;
  const auto fwd = plan(product(type, 64, 1024, 512), with({{"pass", "FC_TRAINING_FWD"}}));
  const auto bwd = plan(product(type, 64, 512, 1024), with({{"pass", "FC_TRAINING_BWD"}}));
  const auto wu = plan(product(type, 1024, 64, 512), with({{"pass", "FC_TRAINING_WU"}}));
  EXPECT_EQ(fwd.joint, bwd.joint);
  EXPECT_EQ(fwd.joint, wu.joint);
  ASSERT_TRUE(fwd.joint);
  EXPECT_EQ(fwd.tilesUsed(), bwd.tilesUsed());
  EXPECT_EQ(fwd.partition.inChanSplit.parallel, bwd.partition.outChanSplit.parallel);
  EXPECT_EQ(fwd.partition.outChanSplit.parallel, bwd.partition.inChanSplit.parallel);
  EXPECT_EQ(fwd.partition.batchSplit, wu.partition.inChanSplit.parallel);
  EXPECT_EQ(fwd.partition.inChanSplit.parallel, wu.partition.batchSplit);
}

// One partition for all passes cannot be cut in time: here it would take a third of a tile.
TEST(Planner, PassesOfAFullyConnectedLayerKeepWithinTheirMemory) {
  const auto options = [](const char *pass) {
    return with({{"pass", pass}, {"partialsType", "half"}, {"availableMemoryProportion", "0.15"}});
  };
  const auto type = poplar::HALF;
  for (const auto &found : {plan(product(type, 1024, 4096, 1024), options("FC_TRAINING_FWD")),
                            plan(product(type, 1024, 1024, 4096), options("FC_TRAINING_BWD")),
                            plan(product(type, 4096, 1024, 1024), options("FC_TRAINING_WU"))})
    EXPECT_LE(double(found.tempBytes), 0.15 * gc200().getBytesPerTile());
}

TEST(Planner, PlansAreRememberedAndTheSameWithoutMemory) {
  PlanningCache cache, other;
  EXPECT_EQ(cache.size(), 0u);
  const auto p = product(poplar::HALF, 123, 45, 67);
  const auto first = planConvolution(gc200(), p, {}, &cache);
  EXPECT_EQ(cache.size(), 1u);
  const auto second = planConvolution(gc200(), p, {}, &cache);
  EXPECT_EQ(cache.size(), 1u);
  planConvolution(gc200(), p, with({{"availableMemoryProportion", "0.5"}}), &cache);
  planConvolution(poplar::Target::createIPUTarget(1, 64, "ipu2"), p, {}, &cache);
  EXPECT_EQ(cache.size(), 3u);
  const auto third = planConvolution(gc200(), p, {}, &other);
  for (const auto &plan : {second, third})
    EXPECT_EQ(constraintsOf(plan), constraintsOf(first));
}

TEST(Planner, EmptyConvolutionsNeedNothing) {
  for (const auto &p : {product(poplar::FLOAT, 0, 3, 4), product(poplar::FLOAT, 5, 0, 4),
                        product(poplar::FLOAT, 5, 3, 0), product(poplar::FLOAT, 5, 3, 4, 0)}) {
    const auto found = plan(p);
    EXPECT_EQ(found.tilesUsed(), 1u);
    EXPECT_TRUE(supersteps(gc200(), p, {}, found).steps.empty());
    EXPECT_TRUE(costsByPart(gc200(), p, {}, found).empty());
  }
}

TEST(Planner, TypesThatNoVertexTakesAreRefused) {
  EXPECT_THROW(plan(product(poplar::INT, 2, 2, 2)), poputil::poplibs_error);
  EXPECT_THROW(plan(ConvParams(poplar::QUARTER, poplar::FLOAT, 2, {1}, {1}, 2, 2, 1)),
               poputil::poplibs_error);
  EXPECT_NO_THROW(plan(ConvParams(poplar::QUARTER, poplar::HALF, 2, {1}, {1}, 32, 32, 1)));
  EXPECT_NO_THROW(plan(ConvParams(poplar::FLOAT, poplar::HALF, 2, {1}, {1}, 2, 2, 1)));
  auto bad = product(poplar::FLOAT, 2, 2, 2);
  bad.outputTransform.stride = {0};
  EXPECT_THROW(plan(bad), poputil::poplibs_error);
}

TEST(Planner, OtherChipsArePlannedToo) {
  for (const char *chip : {"ipu1", "ipu21", "bow"}) {
    const auto target = poplar::Target::createIPUTarget(1, chip);
    for (const auto &p : samples()) {
      const auto found = planConvolution(target, p, {}, nullptr);
      EXPECT_LE(found.tilesUsed(), target.getNumTiles());
      const bool later = found.method == Method::SLIC || found.method == Method::VMAC;
      EXPECT_FALSE(later && std::string(chip) == "ipu1");
    }
  }
  const auto cpu = poplar::Target::createCPUTarget();
  for (const auto &p : samples())
    EXPECT_EQ(planConvolution(cpu, p, {}, nullptr).tilesUsed(), 1u);
  const auto few = poplar::Target::createIPUTarget(1, 4, "ipu2");
  for (const auto &p : samples())
    EXPECT_LE(planConvolution(few, p, {}, nullptr).tilesUsed(), 4u);
}

TEST(Planner, AnyValidParametersHaveAPlan) {
  std::mt19937 random(9);
  const auto few = poplar::Target::createIPUTarget(1, 10, "ipu2");
  const std::vector<poplar::OptionFlags> options = {
      {},
      {{"partialsType", "half"}},
      {{"availableMemoryProportion", "0.0001"}},
      {{"pass", "TRAINING_FWD"}, {"enableTileLevelExpandDims", "true"}}};
  for (int i = 0; i < 200; ++i) {
    const auto p = randomParams(random);
    const auto o = with(options[i % options.size()]);
    const auto &target = i % 3 ? gc200() : few;
    const auto found = planConvolution(target, p, o, nullptr);
    EXPECT_LE(found.tilesUsed(), target.getNumTiles()) << p;
    std::uint64_t flops = 0;
    for (const auto &step : supersteps(target, p, o, found).steps)
      flops += step.flops * step.repeats;
    // Every product of an input and a kernel element that meet, by the definition.
    Vector x(p.inputFieldShape[0], 1), w(p.kernelShape[0], 1);
    double meetings = 0;
    for (double sum : referenceConv(p, x, w))
      meetings += sum;
    const auto chans = double(p.batchSize * p.numConvGroups * p.inputChannelsPerConvGroup *
                              p.outputChannelsPerConvGroup);
    EXPECT_LE(std::abs(double(flops) - 2 * meetings * chans), found.serialSplits()) << p;
  }
}

TEST(Planner, PrintsWhatItDecided) {
  std::ostringstream text;
  const auto p = conv(poplar::HALF, 8, 28, 3, 64, 64);
  print(text, p, plan(p));
  for (const char *word : {"AMP", "fieldSplit", "inChanSplit", "estimated cycles", "tiles"})
    EXPECT_NE(text.str().find(word), std::string::npos) << word;
}

TEST(Planner, TakesLessMemoryWhereThatIsHardlySlower) {
  const auto layer = product(poplar::FLOAT, 16, 4096, 1024);
  const auto fastest =
      plan(layer, with({{"planConstraints", R"({"0": {"partition": {"inChanSplit": {"parallel": 23},
                                                                   "outChanSplit": {"parallel": 64}}}})"}}));
  const auto found = plan(layer);
  EXPECT_GT(found.cycles, fastest.cycles);
  EXPECT_LE(double(found.cycles), 1.01 * double(fastest.cycles));
  EXPECT_LT(double(found.tempBytes), 0.85 * double(fastest.tempBytes));
}
