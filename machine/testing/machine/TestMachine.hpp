// SPDX-License-Identifier: MIT
// For tests: a machine of the test's own, in a folder of its own, with nothing of the user's
// environment.
#pragma once
#include "base/testing/OtherUser.hpp"
#include <string>

namespace machine::testing {

class TestMachine : public ::testing::Test {
protected:
  TestMachine() {
    clear();
    set("OPENIPU_RUNTIME_DIR", scratch.folder("runtime"));
    set("HOME", scratch.folder("home"));
  }
  ~TestMachine() override { clear(); }
  static void set(const char *name, const std::string &value) { ::setenv(name, value.c_str(), 1); }
  static void clear() {
    for (const char *name :
         {"OPENIPU_RUNTIME_DIR", "OPENIPU_MACHINE", "OPENIPU_NUM_IPUS", "OPENIPU_CHIP",
          "OPENIPU_IPU", "IPUOF_CONFIG_PATH", "IPUOF_VIPU_API_PARTITION_ID",
          "IPUOF_VIPU_API_GCD_ID", "IPUOF_VIPU_API_HOST", "GCDA_OPTIONS", "GCDA_MONITOR",
          "GCDA_SUPPRESS_UTILISATION_MEASUREMENT"})
      ::unsetenv(name);
  }
  // What `call` throws, or nothing.
  template <class Call> static std::string failureOf(const Call &call) {
    try {
      call();
      return "";
    } catch (const std::exception &e) {
      return e.what();
    }
  }
  const base::testing::Scratch scratch;
};

} // namespace machine::testing
