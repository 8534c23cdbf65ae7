// SPDX-License-Identifier: MIT
#include "Constraints.hpp"
#include <gtest/gtest.h>
#include <poplar/exceptions.hpp>

using namespace poplin;
using Flags = poplar::OptionFlags;

TEST(ConvOptions, DefaultsAreTheDocumentedOnes) {
  const auto o = parseConvOptions({});
  EXPECT_EQ(o, ConvOptions());
  EXPECT_EQ(o.availableMemoryProportion, 0.6);
  EXPECT_EQ(o.partialsType, poplar::FLOAT);
  EXPECT_TRUE(o.enableMultiStageReduce);
  EXPECT_TRUE(o.remapOutputTensor);
}

TEST(ConvOptions, EveryOptionIsRead) {
  const auto o = parseConvOptions({{"availableMemoryProportion", "0"},
                                   {"pass", "FC_TRAINING_WU"},
                                   {"partialsType", "half"},
                                   {"partialsType.interTile", "float"},
                                   {"partialsType.interIPU", "half"},
                                   {"use128BitConvUnitLoad", "true"},
                                   {"enableMultiStageReduce", "false"},
                                   {"enableFastReduce", "true"},
                                   {"remapOutputTensor", "false"},
                                   {"enableConvDithering", "true"},
                                   {"gatherConvOutput", "true"},
                                   {"disableSRForAMPVertices", "true"},
                                   {"enableTileLevelExpandDims", "true"},
                                   {"disableTransformations", "true"},
                                   {"insertTransformsCycleCountProgs", "false"},
                                   {"experimental.convTransformsEstimates", "true"},
                                   {"experimental.slicVmac16", "true"},
                                   {"planConstraints", R"({"inChansPerGroup": 8})"},
                                   {"planConstraintsOutputFilename", "plan.json"}});
  EXPECT_EQ(o.availableMemoryProportion, 0);
  EXPECT_EQ(o.pass, Pass::FC_TRAINING_WU);
  EXPECT_EQ(o.partialsType, poplar::HALF);
  EXPECT_EQ(o.interTilePartialsType, poplar::FLOAT);
  EXPECT_EQ(o.interIpuPartialsType, poplar::HALF);
  EXPECT_TRUE(o.use128BitConvUnitLoad && !o.enableMultiStageReduce && o.enableFastReduce);
  EXPECT_TRUE(!o.remapOutputTensor && o.enableConvDithering && o.gatherConvOutput);
  EXPECT_TRUE(o.disableSRForAMPVertices && o.enableTileLevelExpandDims);
  EXPECT_TRUE(o.disableTransformations && o.convTransformsEstimates && o.slicVmac16);
  EXPECT_EQ(o.planConstraints, R"({"inChansPerGroup": 8})");
  EXPECT_EQ(o.planConstraintsOutputFilename, "plan.json");
}

TEST(ConvOptions, PartialsTypeSetsTheOthersWhateverTheOrder) {
  const auto o = parseConvOptions({{"partialsType.interTile", "float"}, {"partialsType", "half"}});
  EXPECT_EQ(o.interTilePartialsType, poplar::FLOAT);
  EXPECT_EQ(o.interIpuPartialsType, poplar::HALF);
}

TEST(ConvOptions, UnknownNamesAndBadValuesAreRefused) {
  const std::vector<Flags> bad = {{{"numIPUs", "1"}},
                                  {{"tilesPerIPU", "4"}},
                                  {{"availableMemoryProportion", "-0.1"}},
                                  {{"availableMemoryProportion", "much"}},
                                  {{"pass", "FORWARD"}},
                                  {{"partialsType", "double"}},
                                  {{"use128BitConvUnitLoad", "yes"}},
                                  {{"insertTransformsCycleCountProgs", "true"}},
                                  {{"planConstraints", "{"}},
                                  {{"planConstraints", "[]"}}};
  for (const auto &flags : bad)
    EXPECT_THROW(parseConvOptions(flags), poplar::invalid_option) << flags;
}

TEST(PlanConstraints, AllMembersAreRead) {
  const auto c = parseConstraints(R"({
    "method": {"type": "SLIC", "convUnits": 16, "convInputLoadElems": 4,
               "convUnitChainsRequired": 2, "windowWidth": 4, "useLimitedVersion": true},
    "convGroupsPerGroup": 2, "inChansPerGroup": 4, "partialChansPerGroup": 8,
    "0": {"transform": {"swapOperands": true, "expandDims": [0, 1], "outChanFlattenDims": [],
                        "combineConvGroupsFactor": 2},
          "partition": {"convGroupSplit": 3, "batchSplit": 5, "fieldSplit": {"1": 7},
                        "kernelSplit": [2, 1], "inChanSplit": {"serial": 1, "parallel": 9},
                        "outChanSplit": {"parallel": 11}}}})");
  EXPECT_EQ(c.method, Method::SLIC);
  EXPECT_EQ(c.convUnits, 16u);
  EXPECT_EQ(c.chains, 2u);
  EXPECT_EQ(c.partialChansPerGroup, 8u);
  EXPECT_EQ(c.swapOperands, true);
  EXPECT_EQ(c.expandDims, (std::vector<unsigned>{0, 1}));
  EXPECT_FALSE(c.field(0).has_value());
  EXPECT_EQ(c.field(1), 7u);
  EXPECT_EQ(c.kernel(0), 2u);
  EXPECT_EQ(c.inParallel, 9u);
  EXPECT_FALSE(c.outSerial.has_value());
  EXPECT_EQ(c.outParallel, 11u);
}

TEST(PlanConstraints, NumbersMayBeText) {
  const auto c = parseConstraints(R"({"inChansPerGroup": "16", "method": {"convUnits": "8"},
    "0": {"transform": {"swapOperands": "true", "expandDims": ["1"]},
          "partition": {"fieldSplit": {"0": "4"}, "outChanSplit": {"serial": "2"}}}})");
  EXPECT_EQ(c.inChansPerGroup, 16u);
  EXPECT_EQ(c.convUnits, 8u);
  EXPECT_EQ(c.swapOperands, true);
  EXPECT_EQ(c.expandDims, std::vector<unsigned>{1});
  EXPECT_EQ(c.field(0), 4u);
  EXPECT_EQ(c.outSerial, 2u);
}

TEST(PlanConstraints, MayBeListsOfWhatIsAllowed) {
  const auto factors = [](const std::string &text) {
    return parseConstraints(R"({"0": {"transform": {"combineConvGroupsFactor": )" + text + "}}}")
        .combineConvGroupsFactors;
  };
  EXPECT_EQ(factors("[2, 4, \"8\"]"), (std::vector<unsigned>{2, 4, 8}));
  EXPECT_EQ(factors("4"), std::vector<unsigned>{4});
  EXPECT_THROW(factors("[]"), poplar::invalid_option);
  EXPECT_THROW(factors("[2, 0]"), poplar::invalid_option);
}

TEST(PlanConstraints, OfTwoLevelsTheSecondIsBetweenTiles) {
  const auto c = parseConstraints(R"({
    "0": {"transform": {"swapOperands": true},
          "partition": {"batchSplit": 1, "fieldSplit": [1], "outChanSplit": {"serial": 3}}},
    "1": {"partition": {"batchSplit": 4, "inChanSplit": {"parallel": 5}}}})");
  EXPECT_EQ(c.swapOperands, true);
  EXPECT_EQ(c.batchSplit, 4u);
  EXPECT_EQ(c.inParallel, 5u);
  EXPECT_EQ(c.outSerial, 3u);
  EXPECT_FALSE(c.field(0).has_value());
}

TEST(PlanConstraints, MistakesAreNamed) {
  const auto fails = [](const char *json, const char *word) {
    try {
      parseConstraints(json);
      ADD_FAILURE() << json;
    } catch (const poplar::invalid_option &e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  fails(R"({"methods": {}})", "method");
  fails(R"({"method": {"type": "FFT"}})", "method.type");
  fails(R"({"inChansPerGroup": 0})", "inChansPerGroup");
  fails(R"({"inChansPerGroup": -4})", "inChansPerGroup");
  fails(R"({"0": {"partition": {"batchSplit": "two"}}})", "batchSplit");
  fails(R"({"0": {"partition": {"fieldSplit": {"x": 2}}}})", "fieldSplit");
  fails(R"({"0": {"partition": {"outChanSplit": 4}}})", "outChanSplit");
  fails(R"({"0": {"transform": {"swapOperands": 1}}})", "swapOperands");
  fails(R"({"0": {"transform": {"expandDims": 1}}})", "expandDims");
  fails(R"({"2": {}})", "'2'");
  fails(R"({"inChansPerGroup": "16x"})", "inChansPerGroup");
  fails(R"({"inChansPerGroup": ""})", "inChansPerGroup");
  fails(R"({"0": {"partition": {"kernelSplit": {"0": 2}}}, "1": {}})", "between IPUs");
}
