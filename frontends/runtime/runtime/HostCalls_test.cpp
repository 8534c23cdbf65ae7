// SPDX-License-Identifier: MIT
#include "runtime/HostCalls.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace frontend {
namespace {

struct Program : testing::Test {
  std::map<std::pair<std::string, unsigned>, HostCalls::Function> connected;
  HostCalls calls;

  void load(unsigned replicas = 1) {
    calls.connect(
        [&](const std::string &handle, HostCalls::Function function, unsigned replica) {
          if (handle == "unused")
            throw std::runtime_error("The program has no host function \"unused\".");
          if (handle == "broken")
            throw std::runtime_error("no device");
          connected[{handle, replica}] = std::move(function);
        },
        replicas);
  }
  void run(const std::string &handle, unsigned replica = 0) {
    connected.at({handle, replica})(nullptr, 0, nullptr, 0);
  }
  std::string told() {
    try {
      calls.rethrow();
    } catch (const std::exception &e) {
      return e.what();
    }
    return "";
  }
  static HostCalls::Function throwing(const char *text) {
    return [text](auto...) { throw std::runtime_error(text); };
  }
};

TEST_F(Program, CallsAFunctionForEachReplica) {
  int count = 0;
  calls.add("f", [&](auto...) { ++count; });
  load(2);
  run("f", 0);
  run("f", 1);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(told(), "");
}

TEST_F(Program, ToldIsTheFirstInItsOrderAndOnce) {
  calls.add("a", throwing("of a"));
  calls.add("b", throwing("of b"));
  load();
  run("b");
  run("a");
  EXPECT_EQ(told(), "of a");
  EXPECT_EQ(told(), "");
  run("b");
  calls.forget();
  EXPECT_EQ(told(), "");
}

TEST_F(Program, MayLeaveOutWhatItDoesNotCall) {
  calls.add("unused", throwing("never"));
  calls.add("f", [](auto...) {});
  load();
  EXPECT_EQ(connected.count({"f", 0}), 1u);
  calls.add("broken", throwing("never"));
  EXPECT_THROW(load(), std::runtime_error);
}

TEST_F(Program, MayOutliveTheCalls) {
  calls.add("f", throwing("late"));
  load();
  calls = HostCalls();
  run("f");
  EXPECT_EQ(told(), "");
}

} // namespace
} // namespace frontend
