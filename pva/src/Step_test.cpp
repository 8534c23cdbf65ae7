// SPDX-License-Identifier: MIT
#include "pva/Step.hpp"
#include "pva/Writer.hpp"
#include <gtest/gtest.h>

namespace {

using pva::CycleKind;
using pva::Writer;

const Writer::Null null;

// Programs: 0 the step, 1 the loading of weights; leaves from 2 on.
constexpr const char *leaves[][2] = {{"images/sync", "StreamCopyBegin"},
                                     {"images", "StreamCopyMid"},
                                     {"images/exchange", "StreamCopyEnd"},
                                     {"net/copy-in", "OnTileExecute"},
                                     {"net", "OnTileExecute"},
                                     {"net/sync", "Sync"},
                                     {"weights", "StreamCopyMid"}};
constexpr std::uint64_t cycles[] = {100, 30, 5, 7, 20, 3, 900};

struct Ran {
  const char *name;
  std::uint32_t program;
  std::vector<std::uint32_t> steps; // leaves; none: not recorded
  std::uint64_t more = 0;           // cycles of the last
};

pva::Report reportOf(const std::vector<Ran> &runs, std::uint64_t dropped = 0) {
  Writer w;
  w.table("target").row("IPU_MODEL", "ipu2", 1, 1, 1, 1000, 1'000'000'000, 6);
  w.table("graph").row(1, 0, 0, 2);
  w.table("compute_sets").row(0, "net");
  w.table("compute_sets").row(1, "net/copy-in");
  w.table("vertex_types").row(0, "Add", 64, 32);
  w.table("vertex_groups").row(0, 0, 0, 1, 2, 40, 6);
  w.table("programs").row(0, "", "Sequence", null, 0, 0, 0, 0, 0);
  w.table("programs").row(1, "", "Sequence", null, 0, 0, 0, 0, 0);
  for (std::uint32_t i = 0; i < std::size(leaves); ++i) {
    const std::uint64_t bytes = leaves[i][1] == std::string("StreamCopyMid") ? 64 : 0;
    if (leaves[i][1] == std::string("OnTileExecute"))
      w.table("programs")
          .row(i + 2, leaves[i][0], leaves[i][1], i == 3 ? 1 : 0, 0, cycles[i], 0, 0, 0);
    else
      w.table("programs").row(i + 2, leaves[i][0], leaves[i][1], null, 0, cycles[i], bytes, 0, 0);
    w.table("program_children").row(i == 6 ? 1 : 0, i + 2);
  }
  w.table("program_roots").row(0, 0, 5);
  w.table("program_roots").row(1, 0, 1);
  std::uint64_t at = 0, steps = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto from = at, first = steps;
    for (const auto leaf : runs[r].steps) {
      const auto spent = cycles[leaf] + (leaf == runs[r].steps.back() ? runs[r].more : 0);
      if (leaf == 3 || leaf == 4)
        w.table("steps").row(steps, leaves[leaf][1], leaf + 2, leaf == 3 ? 1 : 0);
      else
        w.table("steps").row(steps, leaves[leaf][1], leaf + 2, null);
      w.table("steps_by_ipu").row(steps, 0, spent, 1, at, at, at, at + spent, at + spent);
      at += spent;
      ++steps;
    }
    if (runs[r].steps.empty())
      at += 50;
    w.table("runs").row(r, runs[r].name, runs[r].program, from, at, first, steps - first);
  }
  w.table("execution").row(at, dropped, 0);
  const auto bytes = w.bytes();
  return pva::openReportFromMemory(bytes.data(), bytes.size(), "p.pop");
}

const std::vector<std::uint32_t> all = {0, 1, 2, 3, 4, 5};

TEST(Step, IsTheMedianRunOfTheProgramThatComputesMost) {
  const auto step = pva::stepOf(reportOf(
      {{"load", 1, {6}}, {"", 0, all, 40}, {"", 0, all, 10}, {"", 0, all, 20}, {"", 0, {}}}));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->name, "program 0");
  EXPECT_EQ(step->run, 3u); // the second longest of the three that were recorded
  EXPECT_EQ(step->cycles, 185u);
  EXPECT_EQ(step->runs, 5u);
  EXPECT_TRUE(step->traced);
  EXPECT_EQ(step->byKind.total(), step->cycles);
  EXPECT_EQ(step->byKind[CycleKind::Compute], 20u);
  EXPECT_EQ(step->byKind[CycleKind::Sync], 23u);
}

// Two IPUs: one exchanges for 30 cycles while the other computes for 50; then both wait.
pva::Report sideBySide() {
  Writer w;
  w.table("target").row("IPU_MODEL", "ipu2", 2, 1, 1, 1000, 1'000'000'000, 6);
  w.table("graph").row(1, 0, 0, 1);
  w.table("compute_sets").row(0, "net");
  w.table("vertex_types").row(0, "Add", 64, 32);
  w.table("vertex_groups").row(0, 0, 1, 1, 2, 50, 6);
  w.table("programs").row(0, "", "Sequence", null, 0, 0, 0, 0, 0);
  w.table("programs").row(1, "stage 0", "DoExchange", null, 0, 30, 0, 0, 0);
  w.table("programs").row(2, "stage 1", "OnTileExecute", 0, 0, 50, 0, 0, 0);
  w.table("programs").row(3, "send", "GlobalExchange", null, 0, 10, 64, 1, 0);
  w.table("programs").row(4, "sync", "Sync", null, 0, 20, 0, 0, 0);
  for (int child = 1; child < 5; ++child)
    w.table("program_children").row(0, child);
  w.table("program_tiles").row(3, 0, 1, 10, 0, 0, 64);
  w.table("program_roots").row(0, 0, 1);
  w.table("steps").row(0, "DoExchange", 1, null);
  w.table("steps").row(1, "OnTileExecute", 2, 0);
  w.table("steps").row(2, "Sync", 4, null);
  w.table("steps").row(3, "GlobalExchange", 3, null);
  const auto both = [&](int step, int cycles, int from, bool first, bool second) {
    w.table("steps_by_ipu").row(step, 0, cycles, first, from, from, from, from, from);
    w.table("steps_by_ipu").row(step, 1, cycles, second, from, from, from, from, from);
  };
  both(0, 30, 0, true, false);
  both(1, 50, 0, false, true);
  both(2, 20, 50, false, false);
  both(3, 10, 70, true, false);
  w.table("runs").row(0, "", 0, 0, 80, 0, 4);
  w.table("execution").row(80, 0, 0);
  const auto bytes = w.bytes();
  return pva::openReportFromMemory(bytes.data(), bytes.size(), "p.pop");
}

TEST(Step, OfStagesSideBySideTheLongestCounts) {
  const auto step = pva::stepOf(sideBySide());
  ASSERT_TRUE(step);
  EXPECT_EQ(step->byKind[CycleKind::Compute], 50u);
  EXPECT_EQ(step->byKind[CycleKind::Exchange], 0u);
  EXPECT_EQ(step->byKind[CycleKind::Sync], 20u);
  EXPECT_EQ(step->byKind.total(), step->cycles);
}

TEST(Step, SaysWhatEachIpuDoesAndSends) {
  const auto step = pva::stepOf(sideBySide());
  ASSERT_TRUE(step);
  ASSERT_EQ(step->ipus.size(), 2u);
  EXPECT_EQ(step->ipus[0].byKind[CycleKind::Exchange], 30u);
  EXPECT_EQ(step->ipus[0].busy(), 40u);
  EXPECT_EQ(step->ipus[0].bytesSent, 64u);
  EXPECT_EQ(step->ipus[1].byKind[CycleKind::Compute], 50u);
  EXPECT_EQ(step->ipus[1].busy(), 50u);
  EXPECT_EQ(step->ipus[1].bytesSent, 0u);
}

TEST(Step, AllOfItsCyclesHaveASpread) {
  const auto step = pva::stepOf(reportOf({{"", 0, all}}));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->spread.total(), step->cycles);
  EXPECT_EQ(step->spread.parts().front().kind, "host");
}

TEST(Step, CopiesWithinTilesDoNotCompute) {
  const auto step = pva::stepOf(reportOf({{"", 0, all}}));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->byKind[CycleKind::Rearrange], 7u);
  EXPECT_EQ(step->byKind[CycleKind::Compute], 20u);
}

TEST(Step, NamesTheStreamThatTheIpuWaitsFor) {
  const auto step = pva::stepOf(reportOf({{"", 0, all}}));
  ASSERT_TRUE(step);
  ASSERT_EQ(step->host.size(), 1u);
  EXPECT_EQ(step->host[0].name, "images");
  EXPECT_EQ(step->host[0].waiting, 100u);
  EXPECT_EQ(step->host[0].moving, 35u);
  EXPECT_EQ(step->host[0].bytes, 64u);
  EXPECT_EQ(step->hostWaiting(), 100u);
  EXPECT_EQ(step->byKind[CycleKind::Host], 135u);
  EXPECT_EQ(step->bound(), CycleKind::Host);
}

TEST(Step, LoadingWeightsStandsApart) {
  const auto step = pva::stepOf(reportOf({{"load", 1, {6}}, {"train", 0, all}}));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->name, "train");
  ASSERT_EQ(step->others.size(), 1u);
  EXPECT_EQ(step->others[0].name, "load");
  EXPECT_EQ(step->others[0].cycles, 900u);
  EXPECT_EQ(step->others[0].runs, 1u);
}

TEST(Step, AReportWhoseTraceEndsInARunHasNoPhases) {
  const auto step = pva::stepOf(reportOf({{"", 0, {0, 1}}}, 4));
  ASSERT_TRUE(step);
  EXPECT_FALSE(step->traced);
  EXPECT_EQ(step->cycles, 130u);
  EXPECT_FALSE(step->bound());
}

TEST(Step, NothingRan) { EXPECT_FALSE(pva::stepOf(reportOf({}))); }

} // namespace
