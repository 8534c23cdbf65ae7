// SPDX-License-Identifier: MIT
#include "base/testing/Message.hpp"
#include "device/TargetData.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/IPUModel.hpp"
#include "poplar/Target.hpp"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

namespace poplar {
namespace {

using base::testing::messageOf;

TEST(Target, AnswersWhatIsKnownOfTheSecondGeneration) {
  const auto t = Target::createIPUTarget(2, "ipu2");
  EXPECT_EQ(t.getNumIPUs(), 2u);
  EXPECT_EQ(t.getTilesPerIPU(), 1472u);
  EXPECT_EQ(t.getNumTiles(), 2944u);
  EXPECT_EQ(t.getNumWorkerContexts(), 6u);
  EXPECT_EQ(t.getBytesPerTile(), 638976u);
  EXPECT_EQ(t.getMemoryBytes(), 2944ull * 638976);
  EXPECT_EQ(t.getTypeSize(HALF), 2u);
  EXPECT_EQ(t.getVectorWidth(FLOAT), 2u);
  EXPECT_EQ(t.getHalfVectorWidth(), 4u);
  EXPECT_EQ(t.getQuarterVectorWidth(), 8u);
  EXPECT_EQ(t.getExchangeBytesPerCycle(), 4u);
  EXPECT_EQ(t.getDataPathWidth(), 64u);
  EXPECT_EQ(t.getRptCountMax(), 4095u);
  EXPECT_EQ(t.getAtomicStoreGranularity(), 4u);
  EXPECT_EQ(t.getTilesPerSharedExchangeBus(), 2u);
  EXPECT_TRUE(t.supportsExchangeBusSharing());
  EXPECT_EQ(t.getMemoryElementOffsets().at(t.getInterleavedMemoryElementIndex()), 208u * 1024);
  EXPECT_EQ(t.getNumConvUnits(HALF, HALF), 16u);
  EXPECT_EQ(t.getNumConvUnits(HALF, FLOAT), 8u);
  EXPECT_EQ(t.getWeightsPerConvUnit(HALF), 16u);
  EXPECT_EQ(t.getWeightsPerConvUnit(FLOAT), 8u);
  EXPECT_THROW(t.getNumConvUnits(INT, INT), type_error);
  EXPECT_TRUE(t.getTargetArchString() == "ipu2");
  EXPECT_EQ(t.getTargetType(), TargetType::IPU);
}

TEST(Target, KnowsSystemsByName) {
  const auto pod = Target::createIPUTarget("IPU-POD16");
  EXPECT_EQ(pod.getNumIPUs(), 16u);
  EXPECT_EQ(pod.getTargetSystemString(), "IPU-POD16");
  EXPECT_EQ(Target::createIPUTarget(4, "IPU-POD64").getNumIPUs(), 4u);
  EXPECT_EQ(Target::createIPUTarget(2, 4, "_VIRTUAL_GRAPH_TEST_16").getNumTiles(), 8u);
  EXPECT_EQ(Target::createIPUTarget(1, "ipu1").getTilesPerIPU(), 1216u);
  EXPECT_EQ(Target::createIPUTarget(1, "bow").getTileClockFrequency(), 1.85e9);
  EXPECT_TRUE(Target::createIPUTarget(1, "ipu21").getTargetArchString() == "ipu21");
  EXPECT_THROW(Target::createIPUTarget(17, "IPU-POD16"), invalid_machine_model);
  EXPECT_THROW(Target::createIPUTarget(0, "ipu2"), invalid_machine_model);
  EXPECT_THROW(Target::createIPUTarget(1, 1473, "ipu2"), invalid_machine_model);
  EXPECT_NE(messageOf<invalid_machine_model>([] {
              Target::createIPUTarget(1, "IPU-POD61");
            }).find("IPU-POD"),
            std::string::npos);
  EXPECT_NE(messageOf<invalid_machine_model>([] {
              Target::createIPUTarget(1, "ipu22");
            }).find("\"ipu2\""),
            std::string::npos);
}

TEST(Target, AppliesItsOptionsAndRefusesUnknownOnes) {
  const auto t = Target::createIPUTarget(2, "ipu2",
                                         {{"gatewayMode", "false"},
                                          {"ipuLinkTopology", "torus"},
                                          {"ipuLinkDomainSize", "8"},
                                          {"ipuLinkConfiguration", "BarleyTwist"},
                                          {"syncConfiguration", "ipuAndAll"}});
  EXPECT_FALSE(t.getGatewayMode());
  EXPECT_EQ(t.getIpuLinkTopology(), IpuLinkTopology::Torus);
  EXPECT_EQ(t.getIpuLinkDomainSize(), 8u);
  EXPECT_EQ(t.getIpuLinkConfiguration(), IpuLinkConfiguration::BarleyTwist);
  EXPECT_EQ(device::dataOf(t).sync, device::SyncConfiguration::IpuAndAll);
  EXPECT_EQ(t.getTargetOptions().size(), 5u);
  EXPECT_NE(messageOf<invalid_option>([] {
              Target::createIPUTarget(1, "ipu2", {{"gatewaymod", "true"}});
            }).find("Did you mean \"gatewayMode\"?"),
            std::string::npos);
  EXPECT_NE(messageOf<invalid_option>([] {
              Target::createIPUTarget(1, "ipu2", {{"gatewayMode", "yes"}});
            }).find("[false, true]"),
            std::string::npos);
  EXPECT_THROW(Target::createIPUTarget(1, "ipu2", {{"ipuLinkDomainSize", "-1"}}), invalid_option);
}

TEST(Target, EnvironmentOverridesItsOptions) {
  ::setenv("POPLAR_TARGET_OPTIONS", R"({"gatewayMode":"false"})", 1);
  EXPECT_FALSE(Target::createIPUTarget(1, "ipu2", {{"gatewayMode", "true"}}).getGatewayMode());
  ::setenv("POPLAR_TARGET_OPTIONS", R"({"gateMode":"false"})", 1);
  EXPECT_THROW(Target::createIPUTarget(1, "ipu2"), invalid_option);
  ::unsetenv("POPLAR_TARGET_OPTIONS");
}

TEST(Target, SurvivesSerialisation) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  model.globalExchangeConstraints = {GlobalExchangeConstraint(1e9, {GlobalExchangeFlow(0, 1)})};
  for (const auto &t : {Target::createIPUTarget(2, 8, "bow", {{"gatewayMode", "false"}}),
                        Target::createCPUTarget(true, 2), model.createDevice().getTarget()}) {
    std::stringstream file;
    t.serialize(file);
    const Target back(file);
    EXPECT_EQ(back, t);
    EXPECT_EQ(back.hash(), t.hash());
    EXPECT_FALSE(back < t || t < back);
  }
}

TEST(Target, RefusesForeignText) {
  for (const char *text :
       {"", "x", "{}", R"({"openipuTarget":2})", R"({"openipuTarget":1,"type":"GPU"})"}) {
    std::istringstream in(text);
    EXPECT_THROW(Target{in}, parse_error) << text;
  }
}

TEST(Target, DiffersByWhatItIs) {
  const auto t = Target::createIPUTarget(1, "ipu2");
  EXPECT_EQ(t, Target::createIPUTarget(1, "ipu2"));
  EXPECT_NE(t, Target::createIPUTarget(2, "ipu2"));
  EXPECT_NE(t, t.createVirtualTarget(1, 4));
  EXPECT_EQ(t.createVirtualTarget(2, 4).getNumTiles(), 8u);
  EXPECT_THROW(t.createVirtualTarget(1, 0), poplar_error);
  EXPECT_EQ(Target(), Target());
  EXPECT_NE(Target(), t);
  EXPECT_THROW(Target().getNumTiles(), poplar_error);
}

TEST(Target, CpuHasOneTileAndOneWorker) {
  const auto cpu = Target::createCPUTarget();
  EXPECT_EQ(cpu.getNumTiles(), 1u);
  EXPECT_EQ(cpu.getNumWorkerContexts(), 1u);
  EXPECT_EQ(cpu.getTargetType(), TargetType::CPU);
  EXPECT_THROW(cpu.getTargetArchString(), poplar_error);
}

TEST(Target, TellsLimitsOfTypesOnlyExactly) {
  const auto t = Target::createCPUTarget();
  EXPECT_EQ(t.getTypeLimitsMaxAs<int>(SHORT), 32767);
  EXPECT_EQ(t.getTypeLimitsLowestAs<float>(HALF), -65504.0f);
  EXPECT_EQ(t.getTypeLimitsMaxAs<double>(FLOAT), double(3.40282347e38f));
  EXPECT_EQ(t.getTypeLimitsMaxAs<unsigned>(UNSIGNED_INT), 0xffffffffu);
  EXPECT_THROW(t.getTypeLimitsMaxAs<float>(INT), poplar_error);
  EXPECT_THROW(t.getTypeLimitsMaxAs<short>(INT), poplar_error);
  EXPECT_THROW(t.getTypeLimitsMaxAs<double>(LONGLONG), poplar_error);
}

TEST(Target, DerivesConstraintsFromTheLinks) {
  EXPECT_TRUE(Target::createIPUTarget(1, "ipu2").getGlobalExchangeConstraints().empty());
  const auto constraints = Target::createIPUTarget(2, "ipu2").getGlobalExchangeConstraints();
  ASSERT_EQ(constraints.size(), 2u);
  EXPECT_EQ(constraints[0].flows, (std::vector<GlobalExchangeFlow>{{0, 1}}));
  EXPECT_GT(constraints[0].bandwidth, 1e11); // four links of 128 Gbit/s
}

TEST(IPUModel, StartsFromTheChipAndPutsEveryFieldIntoTheTarget) {
  IPUModel m;
  EXPECT_EQ(m.tilesPerIPU, 1472u);
  EXPECT_EQ(m.createDevice().getTarget().getBytesPerTile(), 638976u);
  EXPECT_EQ(IPUModel("ipu1").tilesPerIPU, 1216u);
  EXPECT_EQ(m, IPUModel());
  m.numIPUs = 2, m.tilesPerIPU = 6, m.numWorkerContexts = 4, m.memoryBytesPerTile = 1 << 20,
  m.exchangeBytesPerCycle = 8;
  m.memcpyBytesPerCycle = 16, m.minIPUSyncDelay = 5,
  m.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
  m.globalSyncCycles = 77, m.tileClockFrequency = 2e9, m.dataPathWidth = 128,
  m.fp16InFp16OutConvUnitsPerTile = 3;
  m.fp16ConvUnitMaxPipelineDepth = 9, m.fp32ConvUnitInputLoadElemsPerCycle = 11,
  m.supportsSuperTileSendReceive = false;
  EXPECT_NE(m, IPUModel());
  const auto device = m.createDevice();
  const auto &t = device.getTarget();
  EXPECT_EQ(t.getTargetType(), TargetType::IPU_MODEL);
  EXPECT_EQ(t.getNumTiles(), 12u);
  EXPECT_EQ(t.getNumWorkerContexts(), 4u);
  EXPECT_EQ(t.getBytesPerTile(), 1u << 20);
  EXPECT_EQ(t.getExchangeBytesPerCycle(), 8u);
  EXPECT_EQ(t.getMemcpyBytesPerCycle(), 16u);
  EXPECT_EQ(t.getMinIPUSyncDelay(), 5u);
  EXPECT_EQ(t.getMaxIPUSyncDelay(), 5u);
  EXPECT_EQ(t.getGlobalSyncCycles(), 77u);
  EXPECT_EQ(t.getTileClockFrequency(), 2e9);
  EXPECT_EQ(t.getFloatVectorWidth(), 4u);
  EXPECT_EQ(t.getNumConvUnits(HALF, HALF), 3u);
  EXPECT_EQ(t.getFp16ConvUnitMaxPipelineDepth(), 9u);
  EXPECT_NE(t.getFp32ConvUnitMaxPipelineDepth(), 9u);
  EXPECT_EQ(t.getFp32ConvUnitInputLoadElemsPerCycle(), 11u);
  EXPECT_FALSE(t.supportsExchangeBusSharing());
  EXPECT_TRUE(device.attach());
  EXPECT_TRUE(device.isAttached());
  EXPECT_THROW(device.hasGateway(), poplar_error);
}

TEST(IPUModel, RefusesWhatCannotBe) {
  IPUModel m;
  m.tilesPerIPU = 0;
  EXPECT_EQ(messageOf<invalid_machine_model>([&] { m.createDevice(); }),
            "IPUModel::tilesPerIPU must be at least 1.");
  EXPECT_THROW(IPUModel("ipu9"), invalid_machine_model);
  EXPECT_THROW(IPUModel("/nonexistent.chip"), file_load_error);
  EXPECT_THROW(IPUModel().createDevice({{"nonsense", "1"}}), invalid_option);
}

TEST(IPUModel, TakesAChipDescriptionFile) {
  const auto path = testing::TempDir() + "chip-" + std::to_string(::getpid()) + ".chip";
  std::ofstream(path) << "base = ipu2\nname = bigger\ntiles = 4000\nclock = 2.0 GHz\n";
  EXPECT_EQ(IPUModel(path.c_str()).createDevice().getTarget().getNumTiles(), 4000u);
  EXPECT_EQ(Target::createIPUTarget(2, path).getNumTiles(), 8000u);
  std::ofstream(path) << "base = ipu2\ntils = 3\n";
  EXPECT_NE(messageOf<invalid_machine_model>([&] { IPUModel m(path.c_str()); }).find("tiles"),
            std::string::npos);
  std::remove(path.c_str());
}

} // namespace
} // namespace poplar
