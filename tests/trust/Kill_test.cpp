// SPDX-License-Identifier: MIT
// Processes that are killed while they compile, keep and save; and many at once on an empty cache.
#include "base/Text.hpp"
#include "Trust.hpp"
#include <poplar/DebugContext.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

using namespace trust;
using namespace poplar;

namespace {

struct Killed : ::testing::Test {
  const Scratch scratch;
  const Environment environment{scratch};
};

void writeReports(const std::string &folder) {
  IPUModel model;
  model.tilesPerIPU = 4;
  const auto device = model.createDevice();
  Graph graph(device.getTarget());
  const auto v = graph.addVariable(FLOAT, {1000}, "v");
  graph.setTileMapping(v, 0);
  DebugInfo::initializeStreamer(folder + "/debug.cbor", DebugSerializationFormat::CBOR);
  for (int i = 0; i < 5; ++i) {
    Engine engine(graph, program::Copy(v, v),
                  {{"autoReport.all", "true"},
                   {"autoReport.outputSerializedGraph", "true"},
                   {"autoReport.directory", folder},
                   {"debug.loweredVarDumpFile", folder + "/vars.csv"}});
    engine.load(device);
    engine.run();
  }
  DebugInfo::closeStreamer();
}

} // namespace

// What the tests below start.
TEST(KilledProcess, RunsACodelet) {
  if (argumentOf().empty())
    GTEST_SKIP() << "started by the tests of Killed";
  EXPECT_EQ(runs(std::stoi(argumentOf())), "");
}
TEST(KilledProcess, WritesReports) {
  if (argumentOf().empty())
    GTEST_SKIP() << "started by the tests of Killed";
  writeReports(argumentOf());
}

TEST_F(Killed, WhileCompilingCodeletsLeavesNothing) {
  const int killed = kills(4);
  for (int step = 1; step <= killed; ++step)
    startAndKill("KilledProcess.RunsACodelet", std::to_string(step), 1500, unsigned(step));
  for (const int step : {1, killed, killed + 1}) // nobody has compiled the last, so it clears
    EXPECT_EQ(runs(step), "");
  EXPECT_EQ(filesIn(scratch.file("temporary")), 0u);
  for (const auto &entry : std::filesystem::directory_iterator(scratch.file("cache")))
    EXPECT_TRUE(entry.path().extension() == ".module" || entry.path().extension() == ".key")
        << entry.path();
  for (const int step : {1, killed, killed + 1})
    EXPECT_TRUE(isCached(step));
}

TEST_F(Killed, WhileWritingReportsLeavesNothing) {
  const auto folder = scratch.folder("reports");
  for (int i = 0; i < kills(20); ++i)
    startAndKill("KilledProcess.WritesReports", folder, 60, unsigned(i));
  EXPECT_EQ(statusOf(start("KilledProcess.WritesReports", folder)), 0);
  EXPECT_EQ(filesIn(folder), 4u); // profile.pop, executable.poplar, vars.csv, debug.cbor
}

TEST_F(Killed, OrNotManyProcessesShareAnEmptyCache) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i)
    children.push_back(start("KilledProcess.RunsACodelet", "7"));
  for (const pid_t child : children)
    EXPECT_EQ(statusOf(child), 0);
  EXPECT_TRUE(isCached(7));
  EXPECT_EQ(filesIn(scratch.file("cache")), 2u);
  EXPECT_EQ(filesIn(scratch.file("temporary")), 0u);
}
