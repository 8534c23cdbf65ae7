// SPDX-License-Identifier: MIT
#include "base/testing/Variable.hpp"
#include "options/EngineOptions.hpp"
#include "poplar/exceptions.hpp"
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

using namespace poplar;
using namespace poplar::options;

namespace {

using base::testing::Variable;

std::string messageOf(const OptionValues &values) {
  try {
    Options::forEngine(values);
  } catch (const invalid_option &error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST(EngineOptions, DefaultsOfEveryKeyAreValid) {
  Options options;
  std::set<std::string_view> seen;
  for (const auto &info : engineOptionTable()) {
    EXPECT_TRUE(seen.insert(info.key).second) << info.key;
    EXPECT_FALSE(info.effect.empty()) << info.key;
    EXPECT_NO_THROW(options.set(std::string(info.key), std::string(info.byDefault))) << info.key;
  }
}

TEST(EngineOptions, RuntimeOptionsStartFromTheEngine) {
  auto engine = Options::forEngine({{"streamCallbacks.multiThreadMode", "dedicated"}});
  EXPECT_EQ(Options::forRun(engine, {}).text("streamCallbacks.multiThreadMode"), "dedicated");
  auto run = Options::forRun(engine, {{"streamCallbacks.multiThreadMode", "singleThread"}});
  EXPECT_EQ(run.text("streamCallbacks.multiThreadMode"), "singleThread");
  EXPECT_EQ(run.integer("streamCallbacks.maxLookahead"), -1);
  EXPECT_THROW(Options::forRun(engine, {{"debug.instrument", "true"}}), invalid_option);
}

TEST(EngineOptions, UnknownKeyNamesTheNearestOne) {
  EXPECT_NE(messageOf({{"autoReport.al", "true"}}).find("Did you mean \"autoReport.all\""),
            std::string::npos);
}

TEST(EngineOptions, BadValueNamesKeyValueAndAllowedValues) {
  auto text = messageOf({{"exchange.streamBufferOverlap", "maybe"}});
  for (auto part :
       {"exchange.streamBufferOverlap", "maybe", "\"any\"", "\"none\"", "\"hostRearrangeOnly\""})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_NE(messageOf({{"debug.instrument", "yes"}}), "");
  EXPECT_NE(messageOf({{"prng.seed", "12x"}}), "");
  EXPECT_NE(messageOf({{"profiler.blocks.filter", "("}}), "");
}

TEST(EngineOptions, ReadsHexadecimalIntegersAndNumbers) {
  auto options = Options::forEngine(
      {{"target.workerStackSizeInBytes", "0x400"}, {"target.hostSyncTimeout", "2.5"}});
  EXPECT_EQ(options.integer("target.workerStackSizeInBytes"), 0x400);
  EXPECT_EQ(options.number("target.hostSyncTimeout"), 2.5);
}

TEST(EngineOptions, EnvironmentOverridesTheProgram) {
  Variable environment("POPLAR_ENGINE_OPTIONS",
                       R"({"autoReport.directory":"there","autoReport.all":true})");
  auto options = Options::forEngine({{"autoReport.directory", "here"}});
  EXPECT_EQ(options.text("autoReport.directory"), "there");
  EXPECT_TRUE(options.flag("autoReport.all"));
}

TEST(EngineOptions, MalformedEnvironmentIsAnInvalidOption) {
  for (auto text : {"{", "[1]", R"({"autoReport.all":{}})", R"({"nonsense":"1"})"}) {
    Variable environment("POPLAR_ENGINE_OPTIONS", text);
    EXPECT_NE(messageOf({}).find("POPLAR_ENGINE_OPTIONS"), std::string::npos) << text;
  }
}
