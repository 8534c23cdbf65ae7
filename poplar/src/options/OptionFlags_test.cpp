// SPDX-License-Identifier: MIT
#include "base/testing/Message.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/OptionFlags.hpp"
#include <cstdlib>
#include <gtest/gtest.h>
#include <sstream>

namespace poplar {
namespace {

const auto atNamespaceScope = OptionFlags{{"a", "1"}, {"b", "2"}};

using base::testing::messageOf;

TEST(OptionFlags, AreOrderedAndOverwritten) {
  OptionFlags flags = atNamespaceScope;
  flags.set("b", "3");
  flags.set({{"c", "4"}});
  std::ostringstream out;
  out << flags;
  EXPECT_EQ(out.str(), R"({"a":"1","b":"3","c":"4"})");
  EXPECT_EQ(flags.at("b"), "3");
  EXPECT_EQ(flags.find("z"), flags.end());
  EXPECT_NE(flags, atNamespaceScope);
}

TEST(OptionFlags, SuggestWhatWasMeant) {
  EXPECT_EQ(messageOf<invalid_option>([] {
              OptionFlags{{"numTiles", "1"}}.at("numTile");
            }),
            "Option \"numTile\" is not set. Did you mean \"numTiles\"?");
}

TEST(ReadJson, TakesStringsNumbersAndBooleans) {
  OptionFlags flags{{"a", "old"}};
  readJSON(R"({"a":"new","b":3,"c":true})", flags);
  EXPECT_EQ(flags, (OptionFlags{{"a", "new"}, {"b", "3"}, {"c", "true"}}));
  std::istringstream in(R"({"d":"x"})");
  readJSON(in, flags);
  EXPECT_EQ(flags.at("d"), "x");
}

TEST(ReadJson, RefusesMalformedTextAndChangesNothing) {
  OptionFlags flags{{"a", "1"}};
  EXPECT_THROW(readJSON("{\"a\":", flags), parse_error);
  EXPECT_THROW(readJSON("[1]", flags), parse_error);
  EXPECT_THROW(readJSON("{\"a\":1e999}", flags), parse_error);
  EXPECT_EQ(messageOf<parse_error>([&] { readJSON(R"({"a":"2","b":{}})", flags); }),
            "The option text: option \"b\" is object; options are a flat JSON object of strings, "
            "numbers and booleans.");
  EXPECT_EQ(flags.at("a"), "1");
}

TEST(ReadJson, ReadsTheEnvironmentIfSet) {
  OptionFlags flags;
  ::unsetenv("OPENIPU_TEST_OPTIONS");
  readJSONFromEnv("OPENIPU_TEST_OPTIONS", flags);
  EXPECT_TRUE(flags.empty());
  ::setenv("OPENIPU_TEST_OPTIONS", R"({"x":"y"})", 1);
  readJSONFromEnv("OPENIPU_TEST_OPTIONS", flags);
  EXPECT_EQ(flags.at("x"), "y");
  ::setenv("OPENIPU_TEST_OPTIONS", "{", 1);
  EXPECT_NE(messageOf<parse_error>([&] {
              readJSONFromEnv("OPENIPU_TEST_OPTIONS", flags);
            }).find("OPENIPU_TEST_OPTIONS"),
            std::string::npos);
  ::unsetenv("OPENIPU_TEST_OPTIONS");
}

} // namespace
} // namespace poplar
