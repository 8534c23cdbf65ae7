// SPDX-License-Identifier: MIT
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include "machine/Named.hpp"
#include "machine/State.hpp"
#include "machine/TestMachine.hpp"

using namespace machine;

namespace {

using Named = machine::testing::TestMachine;

} // namespace

TEST_F(Named, MachinesAreWhatTheirNamesSay) {
  for (const auto &machine : namedMachines()) {
    set("OPENIPU_MACHINE", machine.name);
    const auto domain = activeDomain();
    EXPECT_EQ(domain.partition.name, machine.name);
    EXPECT_EQ(domain.partition.chip, machine.chip);
    EXPECT_EQ(domain.ipus.size(), machine.ipus) << machine.name;
    EXPECT_EQ(ipusOfEnvironment(), machine.ipus);
    EXPECT_EQ(chipOfEnvironment(), machine.chip);
  }
  set("OPENIPU_MACHINE", "Bow-2000");
  EXPECT_EQ(activeDomain().partition.name, "bow-2000");
  EXPECT_EQ(activeDomain().ipus.at(0).board, "BOW-2000");
  set("OPENIPU_MACHINE", "pod16");
  EXPECT_EQ(activeDomain().ipus.at(15).host, "127.0.1.4") << "four M2000s";
  set("OPENIPU_MACHINE", "");
  EXPECT_EQ(activeDomain().partition.name, "ipuof");
}

TEST_F(Named, OthersAreRefusedWithNearNames) {
  set("OPENIPU_MACHINE", "bow2000");
  EXPECT_THROW(activeDomain(), BadVariable);
  const auto failure = failureOf([] { activeDomain(); });
  EXPECT_EQ(failure.find("OPENIPU_MACHINE: there is no machine \"bow2000\". Did you mean "
                         "\"bow-2000\"? The machines are c2, "),
            0u)
      << failure;
}

TEST_F(Named, VariablesThatSaySomethingElseAreRefused) {
  set("OPENIPU_MACHINE", "pod16");
  set("OPENIPU_NUM_IPUS", "16");
  set("OPENIPU_IPU", "ipu2");
  EXPECT_EQ(activeDomain().ipus.size(), 16u) << "they agree";
  set("OPENIPU_NUM_IPUS", "4");
  EXPECT_EQ(failureOf([] { activeDomain(); }),
            "OPENIPU_MACHINE names pod16, which has 16 IPUs of the chip ipu2, but OPENIPU_NUM_IPUS "
            "is \"4\". Unset one of them.");
  ::unsetenv("OPENIPU_NUM_IPUS");
  set("OPENIPU_IPU", "bow");
  EXPECT_THROW(activeDomain(), BadVariable);
  ::unsetenv("OPENIPU_IPU");
  set("OPENIPU_CHIP", "my.chip");
  EXPECT_THROW(stateOfEnvironment(), BadVariable);
}

TEST_F(Named, AMachineComesBeforeTheRecord) {
  changeState([](State &state) { state.partitions[0].partition.name = "stored"; });
  EXPECT_EQ(activeDomain().partition.name, "stored");
  set("OPENIPU_MACHINE", "c600");
  EXPECT_EQ(activeDomain().partition.name, "c600");
}
