// SPDX-License-Identifier: MIT
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include "machine/State.hpp"
#include "machine/TestMachine.hpp"

using namespace machine;

namespace {

struct Discovery : machine::testing::TestMachine {
  static std::string configuration(const std::string &name, unsigned ipus) {
    auto state = stateOfEnvironment();
    state.partitions[0].partition.name = name;
    state.partitions[0].ipus = ipus;
    return configurationOf(state.domain(state.partitions[0], 0));
  }
  static std::string active() {
    return failureOf([] { throw std::runtime_error(activeDomain().partition.name); });
  }
};

} // namespace

TEST_F(Discovery, TakesTheFirstPlaceThatHasAPartition) {
  EXPECT_EQ(active(), "ipuof");
  changeState([](State &state) { state.partitions[0].partition.name = "stored"; });
  EXPECT_EQ(active(), "stored");
  scratch.folder("home/.ipuof.conf.d");
  EXPECT_EQ(active(), "stored") << "a folder without configurations says nothing";
  scratch.write("home/.ipuof.conf.d/b.conf", configuration("b", 4));
  scratch.write("home/.ipuof.conf.d/a.conf", configuration("a", 2));
  scratch.write("home/.ipuof.conf.d/notes.txt", "not one");
  EXPECT_EQ(active(), "a");
  ASSERT_EQ(allDomains().size(), 2u);
  EXPECT_EQ(allDomains()[1].ipus.size(), 4u);
  set("OPENIPU_NUM_IPUS", "8");
  EXPECT_EQ(active(), "ipuof");
  EXPECT_EQ(activeDomain().ipus.size(), 8u);
  set("IPUOF_VIPU_API_PARTITION_ID", "stored");
  EXPECT_EQ(active(), "stored");
  set("IPUOF_CONFIG_PATH", scratch.write("c.conf", configuration("c", 4)));
  EXPECT_EQ(active(), "c");
}

TEST_F(Discovery, SaysWhatIsWrongAndWhatToDo) {
  set("IPUOF_CONFIG_PATH", "/nowhere/x.conf");
  EXPECT_EQ(active(), "IPUOF_CONFIG_PATH names \"/nowhere/x.conf\", which cannot be read: No such "
                      "file or directory. Write it with vipu get partition NAME --gcd 0 "
                      "--ipu-configs, or unset the variable.");
  set("IPUOF_CONFIG_PATH", "/dev/zero");
  EXPECT_NE(active().find("is no IPUoF configuration"), std::string::npos);
  ::unsetenv("IPUOF_CONFIG_PATH");
  set("IPUOF_VIPU_API_PARTITION_ID", "gone");
  EXPECT_EQ(active(),
            "IPUOF_VIPU_API_PARTITION_ID names the partition \"gone\", which this machine does not "
            "have. Create it with vipu create partition, set IPUOF_VIPU_API_HOST to the controller "
            "that has it, or unset the variable.");
  set("IPUOF_VIPU_API_HOST", "-x");
  EXPECT_EQ(active(), "IPUOF_VIPU_API_HOST: \"-x\" is no host's name or address.");
  set("IPUOF_VIPU_API_PARTITION_ID", "ipuof");
  set("IPUOF_VIPU_API_GCD_ID", "x");
  EXPECT_THROW(activeDomain(), BadVariable);
}

TEST_F(Discovery, RefusesConfigurationsThatOthersMayChange) {
  scratch.folder("home/.ipuof.conf.d");
  const auto file = scratch.write("home/.ipuof.conf.d/a.conf", configuration("a", 2), 0666);
  EXPECT_NE(active().find("other users may write to it"), std::string::npos);
  ::chmod(file.c_str(), 0600);
  EXPECT_EQ(active(), "a");
  ::chmod(scratch.file("home/.ipuof.conf.d").c_str(), 0777);
  EXPECT_NE(active().find("other users may write to it"), std::string::npos);
}

TEST_F(Discovery, WithoutAnyPartitionSaysHowToMakeOne) {
  changeState([](State &state) { state.partitions.clear(); });
  EXPECT_NE(active().find("vipu create partition"), std::string::npos);
}
