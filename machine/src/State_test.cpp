// SPDX-License-Identifier: MIT
#include "base/testing/Child.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include "machine/State.hpp"
#include "machine/TestMachine.hpp"
#include <csignal>
#include <fstream>
#include <sys/resource.h>

using namespace machine;

namespace {

struct TheState : machine::testing::TestMachine {
  std::string file() const { return scratch.file("runtime/machine.json"); }
  static Partition named(const std::string &name) {
    Partition p;
    p.name = name;
    return p;
  }
  // Two partitions of a POD4: two reconfigurable IPUs, and a fixed pair in two GCDs.
  static void split(State &state) {
    auto fixed = named("fixed");
    fixed.reconfigurable = false;
    fixed.gcds = 2;
    fixed.routing = "SWNC";
    fixed.syncType = "pod-native-default";
    state.partitions = {{named("dev"), 0, 2}, {fixed, 2, 2}};
  }
};

} // namespace

TEST_F(TheState, IsTheEnvironmentsUntilItIsChanged) {
  EXPECT_FALSE(storedState());
  EXPECT_EQ(activeDomain().ipus.size(), 16u);
  EXPECT_EQ(activeDomain().partition.name, "ipuof");
  EXPECT_EQ(base::testing::filesIn(scratch.file("runtime")), 0u);
}

TEST_F(TheState, KeepsWhatWasChanged) {
  set("OPENIPU_NUM_IPUS", "4");
  const auto changed = changeState(split);
  ::unsetenv("OPENIPU_NUM_IPUS");
  EXPECT_EQ(storedState(), changed);
  const auto all = allDomains();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].partition.name, "dev");
  EXPECT_EQ(all[1].ipus.size(), 1u) << "one GCD of two";
  EXPECT_EQ(all[1].ipus[0].number, 2u);
  set("IPUOF_VIPU_API_PARTITION_ID", "fixed");
  set("IPUOF_VIPU_API_GCD_ID", "1");
  EXPECT_EQ(activeDomain().ipus.at(0).number, 3u);
  set("IPUOF_VIPU_API_GCD_ID", "2");
  EXPECT_EQ(failureOf([] { activeDomain(); }),
            "Partition fixed has no GCD 2: they are counted from 0 to 1.");
}

TEST_F(TheState, StaysAsItWasIfAChangeFails) {
  const auto before = changeState(split);
  EXPECT_ANY_THROW(changeState([](State &state) {
    state.partitions.clear();
    throw Error("no");
  }));
  EXPECT_EQ(storedState(), before);
  EXPECT_THROW(changeState([](State &state) { state.partitions[1].firstIpu = 1; }), Error)
      << "an IPU in two partitions";
  EXPECT_EQ(storedState(), before);
}

TEST_F(TheState, StaysAsItWasIfTheDiskIsFull) {
  const auto before = changeState(split);
  // A process that may not write files longer than nothing: to it every disk is full.
  EXPECT_EQ(base::testing::statusOfChild([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              const rlimit none{0, 0};
              ::setrlimit(RLIMIT_FSIZE, &none);
              return failureOf([] {
                       changeState([](State &s) { s.partitions.clear(); });
                     }).find("Free some space") != std::string::npos;
            }),
            0);
  EXPECT_EQ(storedState(), before);
  EXPECT_EQ(base::testing::filesIn(scratch.file("runtime")), 2u) << "the record and the lock";
}

TEST_F(TheState, ThatIsDamagedOrOfOthersIsRefused) {
  changeState(split);
  std::ofstream(file(), std::ios::app) << "}";
  const auto failure = failureOf([] { activeDomain(); });
  EXPECT_NE(failure.find(file()), std::string::npos);
  EXPECT_NE(failure.find("Remove the file"), std::string::npos) << failure;
  std::filesystem::remove(file());
  changeState(split);
  ::chmod(file().c_str(), 0666);
  EXPECT_NE(failureOf([] { activeDomain(); }).find("other users may write to it"),
            std::string::npos);
}

// Whenever a process dies, the record is that of before or that of after, and the next can change
// it.
TEST_F(TheState, IsWholeWheneverAProcessIsKilled) {
  changeState(split);
  for (int i = 0; i < 300; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (unsigned n = 0;; ++n)
        changeState([n](State &s) { s.partitions[0].partition.name = "dev" + std::to_string(n); });
    }
    ::usleep(useconds_t(37 * i % 2000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto state = storedState();
    ASSERT_TRUE(state && state->partitions.size() == 2);
    ASSERT_EQ(state->partitions[0].partition.name.substr(0, 3), "dev");
  }
  changeState(split);
  EXPECT_EQ(base::testing::filesIn(scratch.file("runtime")), 2u);
}
