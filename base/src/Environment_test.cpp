// SPDX-License-Identifier: MIT
#include "base/Environment.hpp"
#include "base/Threads.hpp"
#include <cstdlib>
#include <gtest/gtest.h>

namespace base {

static std::string answer(const char *value) {
  setenv("OPENIPU_TEST_NUMBER", value, 1);
  try {
    return std::to_string(numberFromEnvironment("OPENIPU_TEST_NUMBER", 7, 1, 64));
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
}

TEST(Environment, NumbersAreReadWhole) {
  unsetenv("OPENIPU_TEST_NUMBER");
  EXPECT_EQ(numberFromEnvironment("OPENIPU_TEST_NUMBER", 7, 1, 64), 7u);
  EXPECT_EQ(answer(""), "7");
  EXPECT_EQ(answer("64"), "64");
  const std::string refused = "OPENIPU_TEST_NUMBER must be a number from 1 to 64, not ";
  for (const char *bad : {"abc", "4x", " 4", "-1", "0", "65", "18446744073709551617", "4.0"})
    EXPECT_EQ(answer(bad), refused + '"' + bad + "\".");
}

TEST(Environment, TheNumberOfThreadsIsCheckedByItsOwnName) {
  const char *before = std::getenv("OPENIPU_NUM_THREADS");
  const std::string kept = before ? before : "";
  setenv("OPENIPU_NUM_THREADS", "abc", 1);
  std::string text;
  try {
    configuredThreads();
  } catch (const std::invalid_argument &error) {
    text = error.what();
  }
  setenv("OPENIPU_NUM_THREADS", kept.c_str(), 1);
  EXPECT_EQ(text, "OPENIPU_NUM_THREADS must be a number from 1 to 4096, not \"abc\".");
}

} // namespace base
