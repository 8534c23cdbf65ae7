// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "profile/DotGraph.hpp"
#include "profile/ProfileTestImage.hpp"
#include "profile/ProfileTree.hpp"
#include "profile/WriteProfile.hpp"
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace poplar;
using namespace poplar::profile;
using namespace poplar::profile::testing;
namespace fs = std::filesystem;

namespace {

struct Fixture {
  TestProgram program;
  arch::System system = testSystem();
  Recorder recorder;
  explicit Fixture(RecorderOptions options = {.trace = true})
      : recorder(program.image, std::move(options)) {}
  ProfileSource source() const {
    return {&program.image, &system, TargetType::IPU_MODEL, &recorder, true, {}};
  }
  pva::Report report() const { return makeReport(source()); }
};

std::string folder(const char *name) {
  return (fs::temp_directory_path() / base::str("openipu-", name, "-", getpid())).string();
}

} // namespace

TEST(WriteProfile, StepsBecomeProgramsByPhase) {
  Fixture f;
  f.program.run(f.recorder);
  const auto report = f.report();
  const auto roots = report.compilation().programs();
  ASSERT_EQ(roots.size(), 2u);
  const auto children = roots[0]->children();
  ASSERT_EQ(children.size(), 5u);
  EXPECT_EQ(children[0]->type(), pva::Program::Type::Sync);
  EXPECT_EQ(children[0]->name(), "fill/sync");
  EXPECT_EQ(children[1]->type(), pva::Program::Type::DoExchange);
  EXPECT_EQ(children[1]->name(), "fill");
  EXPECT_EQ(children[1]->vars().size(), 2u);
  EXPECT_EQ(children[1]->bytesReceivedByTile(), (pva::NumberByTile{0, 400, 0, 0}));
  EXPECT_EQ(children[2]->type(), pva::Program::Type::Block);
  EXPECT_EQ(children[2]->children().at(0)->type(), pva::Program::Type::Repeat);
  EXPECT_EQ(children[2]->children().at(0)->count(), 3u);
  const auto add = children[2]->children().at(0)->children().at(0);
  EXPECT_EQ(add->type(), pva::Program::Type::OnTileExecute);
  EXPECT_EQ(add->name(), "add");
  EXPECT_EQ(add->debugId(), 9u);
  EXPECT_EQ(add->estimatedCyclesByTile(), (pva::NumberByTile{100, 100, 40, 0}));
  EXPECT_EQ(children[3]->type(), pva::Program::Type::StreamCopyBegin);
  EXPECT_EQ(children[4]->type(), pva::Program::Type::StreamCopyMid);
  EXPECT_EQ(roots[1]->type(), pva::Program::Type::Sequence); // a lone copy has two phases
}

TEST(WriteProfile, TraceGivesAbsoluteCyclesOfEveryExecution) {
  Fixture f;
  f.program.run(f.recorder, 1000);
  const auto execution = f.report().execution();
  const auto steps = execution.steps();
  ASSERT_EQ(steps.size(), 2u + 3 * 2 + 2);
  EXPECT_EQ(steps[1].ipus().at(0).activeCycles().cyclesFrom().min(), 1020u);
  EXPECT_EQ(steps[1].ipus().at(0).activeCycles().cyclesTo().min(), 1060u);
  EXPECT_EQ(steps[1].ipus().at(0).activeCycles().cyclesTo().max(), 1070u);
  EXPECT_EQ(steps[1].ipus().at(0).dataOut(), 400u);
  EXPECT_EQ(steps[2].program()->type(), pva::Program::Type::Repeat);
  EXPECT_EQ(steps.back().ipus().at(0).activeCycles().cyclesTo().max(), 1000 + cyclesOfARun);
  EXPECT_EQ(execution.runs().at(0).name(), "training");
  EXPECT_EQ(execution.runs().at(0).cycles(), cyclesOfARun);
  EXPECT_EQ(execution.totalCycles(), cyclesOfARun);
  EXPECT_EQ(execution.totals().size(), 2u + 2 + 2);
  EXPECT_NEAR(execution.energy().averageWatts(), 50, 1e-9);
}

TEST(WriteProfile, MemoryAndLivenessComeThrough) {
  Fixture f;
  f.program.image.memory.tiles[2].peakStep = f.program.copyStep;
  const auto compilation = f.report().compilation();
  const auto tiles = compilation.tiles();
  ASSERT_EQ(tiles.size(), 4u);
  EXPECT_EQ(tiles[1].memory().total().excludingGaps(), 5100u);
  EXPECT_EQ(tiles[1].memory().total().includingGaps(), 5124u);
  EXPECT_EQ(tiles[1].memory().category().variable().total(), 2000u);
  EXPECT_EQ(tiles[1].memory().peakProgram()->name(), "add");
  EXPECT_EQ(tiles[2].memory().peakProgram()->name(), "fill"); // not its sync
  EXPECT_EQ(compilation.graph().numEdges(), 6u);
  EXPECT_EQ(compilation.livenessProgramSteps().at(0).notAlwaysLiveMemoryForTile(1).bytes(), 200u);
  EXPECT_EQ(compilation.alwaysLiveVariablesForTile(3).at(0).name(), "x");
  EXPECT_EQ(compilation.computeSets().at(0).vertices().at(0).count(), 3u);
  EXPECT_EQ(compilation.vertexTypes().at(0).size(), 48u);
  EXPECT_EQ(compilation.vertexTypes().at(0).codeBytes(), 100u);
}

TEST(WriteProfile, BlocksHaveStampsOnOneTileOfEachIpu) {
  Fixture f({.blocksFilter = ".*", .programsFilter = "out", .blockTile = 1});
  f.system = testSystem(2, 2);
  f.program.run(f.recorder);
  const auto report = f.report();
  EXPECT_TRUE(report.execution().blocks(0).empty());
  EXPECT_EQ(report.execution().blocks(1).size(), 4u); // body and flush
  const auto blocks = report.execution().blocks(3);
  ASSERT_EQ(blocks.size(), 6u); // body, begin and middle of the stream copy, three of the flush
  EXPECT_EQ(blocks[0].program()->name(), "body");
  EXPECT_EQ(blocks[0].cyclesTo() - blocks[0].cyclesFrom(), 315u);
  EXPECT_EQ(blocks[1].program()->type(), pva::Program::Type::StreamCopyBegin);
  EXPECT_TRUE(blocks[2].isStreamCopy());
  EXPECT_TRUE(blocks[3].isBlockFlush());
  EXPECT_EQ(blocks[3].program()->type(), pva::Program::Type::BlockFlush);
}

TEST(WriteProfile, InstrumentedStreamCopiesAreBlocksOnTheirTiles) {
  Fixture f({.externalExchange = true});
  f.system = testSystem(2, 2);
  f.program.run(f.recorder);
  const auto execution = f.report().execution();
  for (unsigned tile = 0; tile < 3; ++tile)
    EXPECT_TRUE(execution.blocks(tile).empty());
  const auto blocks = execution.blocks(3); // the one whose bytes go to the host
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].program()->type(), pva::Program::Type::StreamCopyBegin);
  EXPECT_EQ(blocks[1].program()->type(), pva::Program::Type::StreamCopyMid);
  EXPECT_TRUE(blocks[1].isStreamCopy() && !blocks[1].isCommon());
  EXPECT_EQ(blocks[1].cyclesTo() - blocks[1].cyclesFrom(), 200u);
}

// Whoever reads blocks takes the three of a stream copy one after the other.
TEST(WriteProfile, AFlushDoesNotPartTheStreamCopyThatFollows) {
  Fixture f({.blocksFilter = ".*", .blockTile = 3, .externalExchange = true});
  const auto &program = f.program;
  f.recorder.beginRun(0, "", 0);
  f.recorder.enter(program.blockStep, 0);
  f.recorder.leave(program.blockStep, 50);
  f.recorder.endOfBody(program.loopStep, 50);
  std::uint64_t cycle = 50;
  program.leaf(f.recorder, program.readStep, cycle);
  f.recorder.endRun(cycle);
  std::vector<pva::Program::Type> types;
  for (const auto &block : f.report().execution().blocks(3))
    types.push_back(block.program()->type());
  using Type = pva::Program::Type;
  EXPECT_EQ(types,
            (std::vector<Type>{Type::Block, Type::BlockFlush, Type::BlockFlush, Type::BlockFlush,
                               Type::StreamCopyBegin, Type::StreamCopyMid}));
}

TEST(WriteProfile, ABlockIsOnTheIpusThatWorkInIt) {
  Fixture f({.programsFilter = "fill", .blockBufferBytes = 20}); // on tiles 0 and 1
  f.system = testSystem(2, 2);
  f.program.run(f.recorder);
  f.program.run(f.recorder, cyclesOfARun);
  const auto execution = f.report().execution();
  const auto blocks = execution.blocks(0);
  ASSERT_EQ(blocks.size(), 8u);
  EXPECT_EQ(std::count_if(blocks.begin(), blocks.end(), [](auto &b) { return b.isCommon(); }), 2);
  EXPECT_TRUE(blocks[0].isCommon() && blocks[7].isBlockFlush());
  EXPECT_TRUE(execution.blocks(2).empty());
}

TEST(WriteProfile, AnOverflowIsABlockOfItsOwn) {
  Fixture f({.blocksFilter = ".*", .programsFilter = "fill", .blockBufferBytes = 20});
  f.program.run(f.recorder);
  const auto blocks = f.report().execution().blocks(0);
  ASSERT_EQ(blocks.size(), 5u);
  EXPECT_TRUE(blocks[0].isCommon());
  EXPECT_TRUE(blocks[1].isOverflow() && !blocks[1].isCommon());
  EXPECT_EQ(blocks[1].program()->name(), "Overflow");
  EXPECT_EQ(blocks[1].cyclesTo() - blocks[1].cyclesFrom(), 315u); // the block "body"
  EXPECT_TRUE(blocks[2].isBlockFlush());
}

TEST(WriteProfile, ReplicasAreDescribedOnce) {
  Fixture f;
  f.program.image.replicationFactor = 2;
  f.system = testSystem(2, 4);
  f.program.run(f.recorder);
  const auto report = f.report();
  EXPECT_EQ(report.compilation().target().numTiles(), 8u);
  EXPECT_EQ(report.compilation().target().tilesPerReplica(), 4u);
  EXPECT_EQ(report.compilation().ipus().size(), 1u);
  EXPECT_EQ(report.execution().steps().at(1).cyclesByTile().size(), 4u);
}

TEST(WriteProfile, AFileReadsBackAsTheReportInMemory) {
  Fixture f;
  f.program.run(f.recorder);
  const auto directory = folder("round-trip"), path = directory + "/training/profile.pop";
  writeProfile(path, f.source());
  const auto fromFile = pva::openReport(path);
  fs::remove_all(directory);
  EXPECT_EQ(wholeProfile(fromFile), wholeProfile(f.report()));
  EXPECT_FALSE(fromFile.poplarVersion().string().empty());
}

TEST(WriteProfile, TheSameInputGivesTheSameBytes) {
  Fixture f;
  f.program.run(f.recorder);
  const auto directory = folder("same");
  auto bytes = [&] {
    writeProfile(directory + "/profile.pop", f.source());
    std::ifstream in(directory + "/profile.pop", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(bytes(), bytes());
  fs::remove_all(directory);
}

TEST(WriteProfile, SaysWhichPathCannotBeWritten) {
  Fixture f;
  const auto directory = folder("blocked");
  std::ofstream(directory) << "a file where a directory should be";
  try {
    writeProfile(directory + "/report/profile.pop", f.source());
    FAIL();
  } catch (const poplar_error &e) {
    EXPECT_NE(std::string(e.what()).find(directory), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("autoReport.directory"), std::string::npos);
  }
  fs::remove_all(directory);
}

TEST(WriteProfile, LeavesTheOldFileWhenTheNewOneFails) {
  Fixture f;
  const auto directory = folder("old");
  fs::create_directories(directory + "/profile.pop/is-a-directory");
  EXPECT_THROW(writeProfile(directory + "/profile.pop", f.source()), poplar_error);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory), fs::directory_iterator()), 1);
  fs::remove_all(directory);
}

TEST(WriteProfile, ADiskThatTakesNoMoreEndsInAnErrorAndLeavesNothing) {
  Fixture f;
  const auto directory = folder("full");
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 10'000;
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    writeProfile(directory + "/profile.pop", f.source());
  } catch (const poplar_error &e) {
    message = e.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find(directory + "/profile.pop\" cannot be written"), std::string::npos)
      << message;
  EXPECT_NE(message.find("autoReport.directory"), std::string::npos) << message;
  EXPECT_TRUE(fs::is_empty(directory));
  writeProfile(directory + "/profile.pop", f.source()); // and afterwards all is well
  fs::remove_all(directory);
}

TEST(WriteProfile, ManyVerticesOnAllTilesTakeFewRows) {
  TestImage many;
  const auto x = many.variable("x", 1472 * 68, compile::testing::firstTiles(1472));
  const auto type = many.vertexType("Add", {{"in"}});
  const auto set = many.computeSet("cs");
  for (std::uint32_t v = 0; v < 1472 * 68; ++v)
    many.vertex(set, type, v / 68, {TestImage::span(x, v, v + 1)}, 10);
  Phase phase{PhaseKind::Compute, "cs", 120, 0, 0, {}};
  for (std::uint32_t tile = 0; tile < 1472; ++tile)
    phase.tiles.push_back({tile, 120, 680, 0, 0});
  many.execute(set);
  many.image.steps.back().cost.phases = {phase};
  many.image.programs = {many.lastStep()};
  const auto system = testSystem(1, 1472);
  const auto report = makeReport({&many.image, &system, TargetType::IPU, nullptr, true, {}});
  EXPECT_EQ(report.compilation().graph().numVertices(), 1472u * 68);
  EXPECT_EQ(report.compilation().computeSets().at(0).vertices().at(0).count(), 1472u * 68);
  EXPECT_EQ(report.compilation().programs().at(0)->tileBalance(), 1.0);
  EXPECT_TRUE(report.execution().steps().empty());
}

TEST(ProfileTree, HoldsBothHalves) {
  Fixture f;
  f.program.run(f.recorder);
  const auto tree = wholeProfile(f.report());
  EXPECT_EQ(tree["graphProfile"]["target"]["clockFrequency"].asUint(), 1'000'000'000u);
  EXPECT_EQ(tree["graphProfile"]["memory"]["byTile"]["total"].sumUint(),
            4100u + 5100 + 6100 + 9100);
  EXPECT_EQ(
      tree["graphProfile"]["computeSets"][0]["byVertexType"]["Add<float>"]["vertices"].asUint(),
      3u);
  EXPECT_EQ(tree["executionProfile"]["totalCycles"].asUint(), cyclesOfARun);
  EXPECT_EQ(tree["executionProfile"]["profilerMode"].asString(), "IPU_MODEL");
  EXPECT_EQ(tree["executionProfile"]["steps"].size(), 10u);
}

TEST(DotGraph, DrawsVariablesVerticesAndFields) {
  Fixture f;
  f.program.image.computeSets[0].name = "say \"hi\"";
  std::ostringstream out;
  writeVertexGraph(out, f.program.image);
  const auto text = out.str();
  EXPECT_EQ(text.rfind("digraph vertices {\n  v0 [shape=box, label=\"x float[400]\"];\n", 0), 0u)
      << text;
  EXPECT_NE(text.find("label=\"say \\\"hi\\\"\";"), std::string::npos);
  EXPECT_NE(text.find("    x2 [label=\"Add<float> on tile 2\"];\n"), std::string::npos);
  EXPECT_NE(text.find("  v0 -> x1 [label=\"in\"];\n  x1 -> v1 [label=\"out\"];\n"),
            std::string::npos);
}

TEST(DotGraph, DrawsProgramsWithTheirChildrenInOrder) {
  Fixture f;
  std::ostringstream out;
  writeComputeGraph(out, f.program.image);
  EXPECT_NE(out.str().find("label=\"Repeat\"];\n"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("[label=\"OnTileExecute: add\"];\n"), std::string::npos);
  EXPECT_NE(out.str().find("[style=dashed, dir=none];\n"), std::string::npos);
}
