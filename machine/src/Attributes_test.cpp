// SPDX-License-Identifier: MIT
#include "machine/Attributes.hpp"
#include "machine/Discovery.hpp"
#include "machine/TestMachine.hpp"

using namespace machine;

namespace {

struct OfDevices : machine::testing::TestMachine {
  static Attributes of(unsigned id) {
    const AttributeReader reader(activeDomain());
    return reader.of(reader.domain().groups().at(id));
  }
};

} // namespace

TEST_F(OfDevices, SayWhereAnIpuIs) {
  set("OPENIPU_NUM_IPUS", "8");
  const auto five = of(5);
  EXPECT_EQ(five.at("id"), "5");
  EXPECT_EQ(five.at("target"), "Fabric");
  EXPECT_EQ(five.at("ipuof host"), "127.0.1.2");
  EXPECT_EQ(five.at("board ipu index"), "2");
  EXPECT_EQ(five.at("board serial number"), "0000.0002.0000002");
  EXPECT_EQ(five.at("board type"), "M2000");
  EXPECT_EQ(five.at("clock"), "1330MHz");
  EXPECT_EQ(five.at("ipu utilisation"), "0.00%");
  EXPECT_EQ(five.at("ipu power"), "N/A") << "nobody monitors it";
  EXPECT_EQ(five.count("user name"), 0u);
  EXPECT_EQ(of(14).at("id"), "14");
  set("OPENIPU_IPU", "ipu21");
  EXPECT_EQ(of(1).at("target"), "PCIe");
  EXPECT_EQ(of(1).at("pci id"), "0000:02:00.0");
  EXPECT_EQ(of(1).count("ipuof host"), 0u);
}

TEST_F(OfDevices, NameTheHolderAndHisUse) {
  set("GCDA_MONITOR", "1");
  Lease lease({0, 1}, 16);
  ASSERT_TRUE(lease.acquire());
  lease.usage().beginRun();
  lease.usage().power(124);
  const auto second = of(1), third = of(2);
  EXPECT_EQ(second.at("user process id"), std::to_string(::getpid()));
  EXPECT_GT(std::stod(second.at("average die temp")), std::stod(second.at("average board temp")));
  EXPECT_GE(std::stod(second.at("ipu power")), 48);
  EXPECT_GE(std::stod(second.at("total board power")), 96);
  EXPECT_EQ(third.at("ipu power"), "N/A");
  EXPECT_EQ(third.count("user process id"), 0u);
}

TEST(Sensors, FollowFromUtilisationAndTheEnergyModel) {
  const auto &chip = arch::chipByName("ipu2");
  UsageView usage;
  usage.recent = 0.5;
  usage.watts = 124;
  EXPECT_DOUBLE_EQ(sensorsOf(chip, usage).watts, 86) << "half way between 48 and 124";
  EXPECT_DOUBLE_EQ(sensorsOf(chip, std::nullopt).watts, 48);
  EXPECT_DOUBLE_EQ(sensorsOf(chip, usage).dieTemperature, 0.15 * 86);
  EXPECT_DOUBLE_EQ(boardTemperature(100), 27);
}

TEST_F(OfDevices, KeepQuietIfUtilisationIsNotToBeMeasured) {
  set("GCDA_SUPPRESS_UTILISATION_MEASUREMENT", "1");
  Lease lease({0});
  ASSERT_TRUE(lease.acquire());
  EXPECT_FALSE(usageOf(*holderOf(0)));
  lease.usage().beginRun();
  lease.usage().endRun(1);
  EXPECT_EQ(of(0).at("ipu utilisation (session)"), "0.00%");
}
