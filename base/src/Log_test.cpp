// SPDX-License-Identifier: MIT
#include "base/Log.hpp"
#include "base/LogPattern.hpp"
#include "base/testing/Variable.hpp"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace base {
namespace {

using base::testing::Variable;

// What `action` writes to standard error.
template <class Action> std::string errorsOf(const Action &action) {
  ::testing::internal::CaptureStderr();
  action();
  return ::testing::internal::GetCapturedStderr();
}

std::string contents(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string formatted(const std::string &pattern) {
  const auto time = std::chrono::system_clock::time_point(std::chrono::milliseconds(86'400'123));
  const std::string name = "PL:POPLIN", text = "hello";
  return formatLogLine(pattern, {time, true, 12, 34, LogLevel::Warn, name, text});
}

TEST(LogPattern, WritesEveryFieldInItsPlace) {
  EXPECT_EQ(formatted("%Y-%m-%dT%H:%M:%S.%fZ %-12n %P.%t %L: %v"),
            "1970-01-02T00:00:00.123000Z PL:POPLIN    12.34 W: hello");
  EXPECT_EQ(formatted("%^%e|%F|%l%$|%12n|%%|%q|%"), "123|123000000|warning|   PL:POPLIN|%|%q|%");
}

TEST(Log, ModulesTakeTheirOwnLevelBeforeThatOfTheLayer) {
  Variable all("LAYER_LOG_LEVEL", "warn"), one("LAYER_ENGINE_LOG_LEVEL", "TRACE");
  EXPECT_TRUE(Logger("LAYER", "LA", "engine").enabled(LogLevel::Trace));
  EXPECT_FALSE(Logger("LAYER", "LA", "GRAPH").enabled(LogLevel::Info));
  EXPECT_TRUE(Logger("LAYER", "LA", "GRAPH").enabled(LogLevel::Warn));
}

TEST(Log, IsOffUnlessAsked) {
  EXPECT_FALSE(Logger("LAYER", "LA", "GRAPH").enabled(LogLevel::Critical));
}

TEST(Log, LinesGoToTheFileThatIsNamedAndAreAdded) {
  const auto path = ::testing::TempDir() + "log_test.txt";
  std::filesystem::remove(path);
  Variable level("LAYER_LOG_LEVEL", "INFO"), to("LAYER_LOG_DEST", path),
      form("LAYER_LOG_FORMAT", "%n %v");
  Logger("LAYER", "LA", "A").info("first ", 1);
  Logger("LAYER", "LA", "B").info("second");
  Logger("LAYER", "LA", "B").debug("not this one");
  EXPECT_EQ(contents(path), "LA:A first 1\nLA:B second\n");
}

TEST(Log, AnUnknownLevelIsSaidOnceAndNothingIsLogged) {
  Variable level("STRANGE_LOG_LEVEL", "BANANA");
  EXPECT_EQ(errorsOf([] {
              Logger("STRANGE", "ST", "A").error("lost");
              Logger("STRANGE", "ST", "B").error("lost");
            }),
            "STRANGE_LOG_LEVEL: Unknown log level \"BANANA\". Use OFF, CRITICAL, ERR, WARN, INFO, "
            "DEBUG or TRACE.\n");
}

TEST(Log, AFileThatCannotBeWrittenIsSaidOnceAndLinesGoToStandardError) {
  Variable level("LAYER_LOG_LEVEL", "INFO"), to("LAYER_LOG_DEST", "/no/such/folder/log"),
      form("LAYER_LOG_FORMAT", "%v");
  EXPECT_EQ(
      errorsOf([] {
        Logger("LAYER", "LA", "A").info("one");
        Logger("LAYER", "LA", "A").info("two");
      }),
      "The file \"/no/such/folder/log\" cannot be written: there is no folder "
      "\"/no/such/folder\". Make it first, or choose another. The log goes to standard error. Set "
      "the variable that ends in _LOG_DEST to stderr, stdout or a file in a folder that "
      "exists.\none\ntwo\n");
}

} // namespace
} // namespace base
