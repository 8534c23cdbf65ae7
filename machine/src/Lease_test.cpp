// SPDX-License-Identifier: MIT
#include "base/testing/Child.hpp"
#include "machine/Lease.hpp"
#include "machine/TestMachine.hpp"
#include <csignal>
#include <thread>

using namespace machine;
using namespace std::chrono_literals;

namespace {

struct Leasing : machine::testing::TestMachine {
  // A child that holds the IPUs until it is killed; it has them when this returns.
  static pid_t childWith(std::vector<unsigned> ipus) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Lease lease(std::move(ipus));
      const char answer = lease.acquire() ? '1' : '0';
      if (::write(ready[1], &answer, 1) == 1)
        ::pause();
      ::_exit(1);
    }
    char answer = 0;
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, '1');
    ::close(ready[0]);
    ::close(ready[1]);
    return child;
  }
  static void end(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  static Waited wait(std::vector<Lease *> leases, std::chrono::milliseconds time,
                     std::size_t &which) {
    return acquireOne(leases, time, which);
  }
  std::size_t which = 99;
};

} // namespace

TEST_F(Leasing, SaysWhoHoldsAnIpu) {
  Lease lease({4, 5}, 18);
  EXPECT_FALSE(holderOf(4));
  ASSERT_TRUE(lease.acquire());
  const auto holder = holderOf(5);
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->processId, long(::getpid()));
  EXPECT_EQ(holder->firstIpu, 4u);
  EXPECT_EQ(holder->device, 18u);
  EXPECT_NE(holder->executable.find("machine_test"), std::string::npos);
  EXPECT_NE(holder->command.find("machine_test"), std::string::npos);
  EXPECT_FALSE(holder->otherNamespace);
  EXPECT_TRUE(usageOf(*holder));
  lease.release();
  EXPECT_FALSE(holderOf(5));
}

TEST_F(Leasing, HasAnnouncementsThatDoNotDisturbTheRecord) {
  Lease lease({0});
  ASSERT_TRUE(lease.acquire());
  lease.usage().beginRun();
  lease.usage().endRun(0.5);
  lease.announce();
  EXPECT_EQ(usageOf(*holderOf(0))->runs, 1u);
  EXPECT_DOUBLE_EQ(usageOf(*holderOf(0))->deviceSeconds, 0.5);
}

TEST_F(Leasing, TimesOutWhenNothingBecomesFree) {
  Lease held({0}), wanted({0}), pair({0, 1});
  ASSERT_TRUE(held.acquire());
  EXPECT_EQ(wait({&wanted, &pair}, 0ms, which), Waited::TimedOut);
  EXPECT_EQ(wait({&wanted, &pair}, 20ms, which), Waited::TimedOut);
  Lease other({1});
  EXPECT_EQ(wait({&wanted, &other}, 0ms, which), Waited::Attached);
  EXPECT_EQ(which, 1u);
}

TEST_F(Leasing, WaitsUntilAnIpuIsReleased) {
  Lease held({2}), wanted({2});
  ASSERT_TRUE(held.acquire());
  std::thread releaser([&] {
    ::usleep(20000);
    held.release();
  });
  EXPECT_EQ(wait({&wanted}, -1ms, which), Waited::Attached);
  releaser.join();
  EXPECT_TRUE(wanted.held());
}

TEST_F(Leasing, WaitsUntilTheHoldersProcessDies) {
  const pid_t child = childWith({0, 1});
  Lease wanted({1});
  std::thread killer([&] {
    ::usleep(20000);
    end(child);
  });
  EXPECT_EQ(wait({&wanted}, -1ms, which), Waited::Attached);
  killer.join();
}

TEST_F(Leasing, WaitingEndsWithASignal) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGUSR1, &action, nullptr);
  Lease held({0}), wanted({0});
  ASSERT_TRUE(held.acquire());
  const auto self = ::pthread_self();
  std::atomic<bool> done = false;
  std::thread sender([&] {
    while (!done) {
      ::usleep(5000);
      ::pthread_kill(self, SIGUSR1);
    }
  });
  EXPECT_EQ(wait({&wanted}, -1ms, which), Waited::Interrupted);
  done = true;
  sender.join();
}

TEST_F(Leasing, AFileThatCanBeReadEndsWaitingBeforeItBegins) {
  Lease held({0}), wanted({0});
  ASSERT_TRUE(held.acquire());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  Lease *const leases[]{&wanted};
  EXPECT_EQ(acquireOne(leases, -1ms, which, ends[0]), Waited::Interrupted);
  EXPECT_FALSE(wanted.held());
  ::close(ends[0]);
  ::close(ends[1]);
}

// Many processes take turns at few IPUs, some die while they hold one, and nothing is lost.
TEST_F(Leasing, ServesManyProcessesThatWaitAndDie) {
  std::vector<pid_t> children;
  for (unsigned i = 0; i < 64; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(120);
      for (int turn = 0; turn < 10; ++turn) {
        Lease a({0}), b({1}), both({0, 1});
        std::size_t got = 0;
        const auto result = i % 3 ? wait({&a, &b}, -1ms, got) : wait({&both}, -1ms, got);
        if (result != Waited::Attached)
          ::_exit(2);
        if (i % 8 == 7 && turn == 5)
          ::raise(SIGKILL);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (unsigned i = 0; i < children.size(); ++i) {
    int status = 0;
    ::waitpid(children[i], &status, 0);
    if (i % 8 == 7)
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    else
      EXPECT_EQ(status, 0);
  }
  Lease both({0, 1});
  EXPECT_TRUE(both.acquire());
}

TEST_F(Leasing, InjectsErrorsAtTheRunThatWasAskedFor) {
  set("GCDA_OPTIONS",
      R"({"simulateSOCError.errorList":"'IPUSOFTERR, LINK_DOWN'",)"
      R"("simulateSOCError.triggerCount":"2","simulateSOCError.rearmOnReset":"true"})");
  Lease lease({0, 1});
  ASSERT_TRUE(lease.acquire());
  const std::vector<std::string> none, both = {"IPUSOFTERR", "LINK_DOWN"};
  EXPECT_EQ(lease.countRun(), none);
  EXPECT_FALSE(errorStateOf(1));
  EXPECT_EQ(lease.countRun(), both);
  EXPECT_EQ(errorStateOf(1), "IPUSOFTERR");
  EXPECT_EQ(lease.countRun(), none);
  lease.reset();
  EXPECT_FALSE(errorStateOf(0));
  EXPECT_EQ(lease.countRun(), none);
  EXPECT_EQ(lease.countRun(), both);
  clearErrorState({0, 1});
}

TEST_F(Leasing, RefusesOptionsThatNobodyKnows) {
  Lease lease({0});
  set("GCDA_OPTIONS", R"({"enableMonitorin":"true"})");
  EXPECT_EQ(failureOf([&] { lease.acquire(); }),
            "GCDA_OPTIONS: \"enableMonitorin\" is unknown. Did you mean \"enableMonitoring\"?");
  set("GCDA_OPTIONS", R"({"simulateSOCError.errorList":"IPUSOFTERR"})");
  EXPECT_NE(failureOf([&] { lease.acquire(); }).find("triggerCount"), std::string::npos);
  set("GCDA_OPTIONS", "{");
  EXPECT_NE(failureOf([&] { lease.acquire(); }).find("is not JSON"), std::string::npos);
  EXPECT_FALSE(lease.held());
}
