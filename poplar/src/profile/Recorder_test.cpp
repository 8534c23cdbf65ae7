// SPDX-License-Identifier: MIT
#include "engine/Recording.hpp"
#include "poplar/exceptions.hpp"
#include "profile/ProfileTestImage.hpp"
#include "profile/Recorder.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::profile;
using namespace poplar::profile::testing;

TEST(Recorder, KeepsTotalsWithoutATrace) {
  TestProgram program;
  Recorder recorder(program.image, {});
  EXPECT_EQ(program.run(recorder), cyclesOfARun);
  program.run(recorder, cyclesOfARun);
  EXPECT_EQ(recorder.totals()[program.addStep].executions, 6u);
  EXPECT_EQ(recorder.totals()[program.addStep].cycles, 600u);
  EXPECT_EQ(recorder.totals()[program.copyStep].cost, &program.image.steps[program.copyStep].cost);
  EXPECT_EQ(recorder.runsByProgram(), (std::vector<std::uint64_t>{2, 0}));
  EXPECT_TRUE(recorder.events().empty());
}

TEST(Recorder, TracesTheFirstRunsOfEveryProgram) {
  TestProgram program;
  Recorder recorder(program.image, {.trace = true, .maxRuns = 1});
  for (std::uint32_t which : {0u, 0u, 1u, 1u}) {
    recorder.beginRun(which, std::to_string(which), 0);
    recorder.endRun(10);
  }
  ASSERT_EQ(recorder.runs().size(), 2u);
  EXPECT_EQ(recorder.runs()[1].name, "1") << "loading weights does not use up the runs of training";
}

TEST(Recorder, TracesTheFirstRunsOnly) {
  TestProgram program;
  Recorder recorder(program.image, {.trace = true, .maxRuns = 2});
  std::uint64_t cycle = 0;
  for (int i = 0; i < 5; ++i)
    cycle = program.run(recorder, cycle, "run" + std::to_string(i));
  ASSERT_EQ(recorder.runs().size(), 2u);
  EXPECT_EQ(recorder.runs()[1].name, "run1");
  EXPECT_EQ(recorder.runs()[1].startCycle, cyclesOfARun);
  EXPECT_EQ(recorder.runs()[1].endCycle, 2 * cyclesOfARun);
  EXPECT_EQ(recorder.events().size(), 2 * 8u);
  EXPECT_EQ(recorder.runs()[1].firstEvent, 8u);
  EXPECT_EQ(recorder.events()[3].step, program.loopStep + 0u);
  EXPECT_EQ(recorder.totals()[program.addStep].executions, 15u);
}

TEST(Recorder, AMillionStepsStayWithinTheLimitAndAreCounted) {
  TestProgram program;
  Recorder recorder(program.image, {.trace = true, .maxEvents = 1000});
  const auto &cost = program.image.steps[program.addStep].cost;
  recorder.beginRun(0, "", 0);
  for (std::uint64_t i = 0; i < 1'000'000; ++i)
    recorder.leaf(program.addStep, cost, i * 100, 100);
  recorder.endRun(100'000'000);
  EXPECT_EQ(recorder.events().size(), 1000u);
  EXPECT_EQ(recorder.droppedEvents(), 999'000u);
  EXPECT_EQ(recorder.totals()[program.addStep].executions, 1'000'000u);
  EXPECT_EQ(recorder.totals()[program.addStep].cycles, 100'000'000u);
}

TEST(Recorder, DisabledKeepsNothingAndResetForgets) {
  TestProgram program;
  Recorder recorder(program.image, {.trace = true});
  recorder.disable();
  program.run(recorder);
  EXPECT_EQ(recorder.totals()[program.addStep].executions, 0u);
  EXPECT_TRUE(recorder.runs().empty());
  recorder.enable();
  program.run(recorder);
  EXPECT_EQ(recorder.events().size(), 8u);
  recorder.reset();
  EXPECT_TRUE(recorder.events().empty());
  EXPECT_EQ(recorder.runsByProgram()[0], 0u);
  program.run(recorder);
  EXPECT_EQ(recorder.totals()[program.addStep].executions, 3u);
}

TEST(Recorder, BlocksAreTheMatchingOnesAndFlushAtTheHost) {
  TestProgram program;
  Recorder recorder(program.image, {.blocksFilter = "^bo", .programsFilter = "out|fill"});
  EXPECT_TRUE(recorder.watches(program.blockStep));
  EXPECT_FALSE(recorder.watches(program.loopStep));
  program.run(recorder);
  const auto &blocks = recorder.blocks();
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].step, program.copyStep);
  EXPECT_EQ(blocks[1].step, program.blockStep);
  EXPECT_EQ(blocks[1].cyclesFrom, 70u);
  EXPECT_EQ(blocks[1].cyclesTo, 70u + 315u);
  EXPECT_TRUE(blocks[2].streamCopy);
  EXPECT_TRUE(blocks[3].flush);
}

TEST(Recorder, AFullBlockBufferLosesBlocksAndSaysWhere) {
  TestProgram program;
  Recorder recorder(program.image, {.programsFilter = "fill", .blockBufferBytes = 45});
  recorder.beginRun(1, "", 0);
  std::uint64_t cycle = 0;
  for (int i = 0; i < 5; ++i)
    program.leaf(recorder, program.copyStep, cycle);
  recorder.endRun(cycle);
  ASSERT_EQ(recorder.blocks().size(), 4u); // two, the gap and the flush
  EXPECT_FALSE(recorder.blocks()[0].overflow || recorder.blocks()[1].overflow);
  const auto &gap = recorder.blocks()[2];
  EXPECT_TRUE(gap.overflow);
  EXPECT_EQ(gap.cyclesFrom, 2 * cycle / 5);
  EXPECT_EQ(gap.cyclesTo, cycle);
  EXPECT_EQ(recorder.droppedBlocks(), 3u);
}

TEST(Recorder, WithoutImplicitFlushOnlyTheEndOfTheRunFlushes) {
  TestProgram program;
  Recorder recorder(program.image, {.programsFilter = "fill", .implicitFlush = false});
  program.run(recorder);
  ASSERT_EQ(recorder.blocks().size(), 2u);
  EXPECT_TRUE(recorder.blocks()[1].flush);
  EXPECT_EQ(recorder.blocks()[1].cyclesFrom, cyclesOfARun);
}

TEST(Recorder, TheEndOfALoopsBodyFlushes) {
  TestProgram program;
  Recorder recorder(program.image, {.programsFilter = "fill"});
  recorder.beginRun(0, "", 0);
  std::uint64_t cycle = 0;
  for (int i = 0; i < 3; ++i) {
    program.leaf(recorder, program.loopStep, cycle);
    if (i != 1)
      program.leaf(recorder, program.copyStep, cycle);
    recorder.endOfBody(program.loopStep, cycle);
  }
  recorder.endRun(cycle);
  ASSERT_EQ(recorder.blocks().size(), 4u); // an empty buffer is not flushed
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(recorder.blocks()[i].flush, i % 2 == 1);
  EXPECT_EQ(recorder.blocks()[1].cyclesFrom, recorder.blocks()[0].cyclesTo);

  Recorder quiet(program.image, {.programsFilter = "fill", .implicitFlush = false});
  quiet.beginRun(0, "", 0);
  program.leaf(quiet, program.copyStep, cycle);
  quiet.endOfBody(program.loopStep, cycle);
  EXPECT_EQ(quiet.blocks().size(), 1u);
}

TEST(Recorder, InstrumentedStreamCopiesAreBlocksBesideTheBuffer) {
  TestProgram program;
  options::Options options;
  options.set("debug.instrumentExternalExchange", "true");
  EXPECT_TRUE(engine::recorderOptions(options).externalExchange);
  Recorder recorder(program.image, {.blockBufferBytes = 0, .externalExchange = true});
  program.run(recorder);
  ASSERT_EQ(recorder.blocks().size(), 1u);
  EXPECT_TRUE(recorder.blocks()[0].streamCopy && recorder.blocks()[0].onItsTiles);
  EXPECT_EQ(recorder.blocks()[0].cyclesTo, cyclesOfARun);
  EXPECT_EQ(recorder.droppedBlocks(), 0u);
}

TEST(Recorder, MeasuredVerticesReplaceEstimates) {
  TestProgram program;
  Recorder recorder(program.image, {});
  EXPECT_EQ(recorder.vertexCycles(0), 60u);
  recorder.measured(0, 77);
  EXPECT_EQ(recorder.vertexCycles(0), 77u);
}

TEST(Recorder, OptionsSwitchTheTraceOn) {
  EXPECT_FALSE(engine::recorderOptions(options::Options()).trace);
  options::Options options;
  options.set("debug.instrumentCompute", "true");
  options.set("autoReport.executionProfileProgramRunCount", "7");
  options.set("profiler.blocks.bufferSize", "64");
  const auto result = engine::recorderOptions(options);
  EXPECT_TRUE(result.trace);
  EXPECT_EQ(result.maxRuns, 7u);
  EXPECT_EQ(result.blockBufferBytes, 64u);
}

TEST(Recorder, RefusesAFilterThatIsNoExpression) {
  TestProgram program;
  EXPECT_THROW(Recorder(program.image, {.blocksFilter = "("}), invalid_option);
}
