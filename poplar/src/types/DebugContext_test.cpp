// SPDX-License-Identifier: MIT
#include "poplar/DebugContext.hpp"
#include "poplar/exceptions.hpp"
#include "types/DebugStreamer.hpp"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

namespace poplar {
namespace {

std::string path(const DebugContext &context = {}) { return context.getPathName(); }

TEST(DebugContext, JoinsNamesAndDropsEmptyParts) {
  const DebugInfo info({"outer"}, "layer");
  const DebugNameAndId name(info, "middle");
  EXPECT_EQ(path(), "");
  EXPECT_EQ(path("x"), "x");
  EXPECT_EQ(path({info, "x"}), "outer/x");
  EXPECT_EQ(path({info}), "outer");
  EXPECT_EQ(path({name, "x"}), "outer/middle/x");
  EXPECT_EQ(path({DebugContext(name, "x"), std::string("y")}), "outer/middle/x/y");
  EXPECT_EQ(DebugNameAndId(name, "z").getPathName(), "outer/middle/z");
  EXPECT_EQ(name.getParentId(), info.getId());
  std::ostringstream out;
  out << DebugContext(info, "x");
  EXPECT_EQ(out.str(), "outer/x");
}

TEST(DebugContext, KnowsWhereItWasMade) {
  const DebugContext here("x");
  EXPECT_TRUE(here.getLocation().isValid());
  EXPECT_EQ(here.getLocation().getLineNumber(), unsigned(__LINE__ - 2));
}

TEST(DebugInfo, KeepsTheFirstValueOfAKey) {
  DebugInfo info({"x"}, "layer");
  EXPECT_TRUE(info.setValue("api", "f"));
  EXPECT_FALSE(info.setValue("api", "g"));
}

class DebugFile : public testing::TestWithParam<DebugSerializationFormat> {
protected:
  void TearDown() override { std::filesystem::remove(name_); }
  nlohmann::json read() const {
    std::ifstream file(name_, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    return GetParam() == DebugSerializationFormat::JSON ? nlohmann::json::parse(bytes)
                                                        : nlohmann::json::from_cbor(bytes);
  }
  std::string name_ = testing::TempDir() + "debug-" + std::to_string(::getpid());
};

TEST_P(DebugFile, HoldsContextsAndATableOfStrings) {
  DebugInfo::initializeStreamer(name_, GetParam());
  DebugId parent = 0;
  {
    DebugInfo outer(DebugContext("outer", SourceLocation("f", "file.cpp", 7)), "poplibs");
    parent = outer.getId();
    outer.setValue("args",
                   ProfileValue::Map{{"n", 3}, {"list", ProfileValue::Vector{1.5, "a", true}}});
    DebugInfo inner(DebugContext(outer, "outer", SourceLocation("f", "file.cpp", 8)), "popart");
  }
  DebugInfo::closeStreamer();
  { const DebugInfo unrecorded({"unrecorded"}, "x"); }

  const auto json = read();
  const auto &contexts = json.at("contexts"), &strings = json.at("stringTable");
  ASSERT_EQ(contexts.size(), 2u); // inner first: it was destroyed first
  EXPECT_EQ(contexts[0].at("parentId"), parent);
  EXPECT_EQ(contexts[0].at("layer"), "popart");
  EXPECT_EQ(contexts[1].at("id"), parent);
  EXPECT_EQ(contexts[1].at("name"), contexts[0].at("name"));
  EXPECT_EQ(strings.at(contexts[1].at("name").get<int>()), "outer");
  EXPECT_EQ(strings.at(contexts[1].at("location").at("fileName").get<int>()), "file.cpp");
  EXPECT_EQ(contexts[1].at("location").at("lineNumber"), 7);
  EXPECT_EQ(contexts[1].at("args").at("n"), 3);
  EXPECT_EQ(contexts[1].at("args").at("list").dump(), "[1.5,\"a\",true]");
}
TEST_P(DebugFile, AppearsWithWhatThereIsSoFarAndAsAWholeAtTheEnd) {
  DebugInfo::initializeStreamer(name_, GetParam());
  { const DebugInfo first({"first"}, "poplibs"); }
  EXPECT_FALSE(std::filesystem::exists(name_));
  types::checkpointDebugFile();
  EXPECT_EQ(read().at("contexts").size(), 1u);
  { const DebugInfo second({"second"}, "poplibs"); }
  types::checkpointDebugFile();
  EXPECT_EQ(read().at("contexts").size(), 2u);
  { const DebugInfo third({"third"}, "poplibs"); }
  DebugInfo::closeStreamer();
  const auto json = read();
  ASSERT_EQ(json.at("contexts").size(), 3u);
  EXPECT_EQ(json.at("stringTable").at(json.at("contexts")[2].at("name").get<int>()), "third");
}
INSTANTIATE_TEST_SUITE_P(BothFormats, DebugFile,
                         testing::Values(DebugSerializationFormat::JSON,
                                         DebugSerializationFormat::CBOR));

TEST(DebugInfo, SaysWhenTheFileCannotBeCreated) {
  EXPECT_THROW(DebugInfo::initializeStreamer("/proc/nonexistent/debug.cbor"), poplar_error);
}

TEST(DebugInfo, SaysWhenTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full";
  DebugInfo::initializeStreamer("/dev/full", DebugSerializationFormat::JSON);
  EXPECT_THROW(DebugInfo::closeStreamer(), poplar_error);
}

} // namespace
} // namespace poplar
