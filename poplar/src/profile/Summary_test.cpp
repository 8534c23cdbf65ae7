// SPDX-License-Identifier: MIT
// The whole printed text is compared: its layout is what users and scripts rely on.
#include "poplar/exceptions.hpp"
#include "poplar/ProfileValue.hpp"
#include "profile/ProfileTestImage.hpp"
#include "profile/Summary.hpp"
#include "profile/WriteProfile.hpp"
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace poplar;
using namespace poplar::profile;
using namespace poplar::profile::testing;

namespace {

struct Fixture {
  TestProgram program;
  arch::System system = testSystem();
  Recorder recorder{program.image, {}};
  ProfileSource source() const {
    return {&program.image, &system, TargetType::IPU_MODEL, &recorder, true, {}};
  }
  std::string summary(const OptionFlags &flags) const {
    std::ostringstream out;
    profile::printProfileSummary(out, makeReport(source()), summaryOptions(flags));
    return out.str();
  }
};

std::string messageOf(const OptionFlags &flags) {
  try {
    summaryOptions(flags);
  } catch (const invalid_option &e) {
    return e.what();
  }
  return "(no error)";
}

const char *const wholeText = R"(Target:
  Number of IPUs:         1
  Tiles per IPU:          4
  Total Tiles:            4
  Memory Per-Tile:        8.0 kB
  Total Memory:           0.0 MB
  Clock Speed (approx):   1,000.0 MHz

Graph:
  Number of vertices:                 3
  Number of edges:                    6
  Number of variables:                2
  Number of compute sets:             1

Memory Usage:
  Total:
    Including Gaps:               4,124 B
    Excluding Gaps:
      By Memory Region:
        Non-interleaved:          4,100 B
        Interleaved:                  0 B
        Overflowed:                   0 B
      Total:                      4,100 B
      By Data Type:
          Variables:                                1,000 B
          Constants:                                    0 B
          Host Exchange Packet Headers:                 0 B
          Global Exchange Packet Headers:               0 B
          Stack:                                    3,000 B
          Vertex Instances:                             0 B
          Copy Descriptors:                             0 B
          VectorList Descriptors:                       0 B
          Vertex Field Data:                            0 B
          Control Table:                                0 B
          Control Code:                                 0 B
          Vertex Code:                                100 B
          Internal Exchange Code:                       0 B
          Host Exchange Code:                           0 B
          Global Exchange Code:                         0 B
          Instrumentation Results:                      0 B
          Messages:                                     0 B
          Rearrangement Buffers:                        0 B
          Shared Code Storage:                          0 B
          Shared Data Storage:                          0 B
      Vertex Data (48B):
        By Category:
          Internal vertex state:                        0 B
          Edge pointers:                               48 B
          Copy pointers:                                0 B
          Padding:                                      0 B
          Descriptors:                                  0 B
        By Type:
          Add<float>                                   48 B
  By Tile (Excluding Gaps):
    Range (KB) Histogram (Excluding Gaps)               Count (tiles)
         4 - 5 ****************************************         1
    Maximum (Including Gaps): 4,124 (4.0 K) on tile 0
    Maximum (Excluding Gaps): 4,100 (4.0 K) on tile 0
    0 tile(s) out of memory

  Tile # 0 memory usage:
    Including Gaps:               4,124 B
    Excluding Gaps:
      Total:                      4,100 B
      By Data Type:
          Variables:                                1,000 B
          Constants:                                    0 B
          Host Exchange Packet Headers:                 0 B
          Global Exchange Packet Headers:               0 B
          Stack:                                    3,000 B
          Vertex Instances:                             0 B
          Copy Descriptors:                             0 B
          VectorList Descriptors:                       0 B
          Vertex Field Data:                            0 B
          Control Table:                                0 B
          Control Code:                                 0 B
          Vertex Code:                                100 B
          Internal Exchange Code:                       0 B
          Host Exchange Code:                           0 B
          Global Exchange Code:                         0 B
          Instrumentation Results:                      0 B
          Messages:                                     0 B
          Rearrangement Buffers:                        0 B
          Shared Code Storage:                          0 B
          Shared Data Storage:                          0 B
      Always live:                4,000 B
      Not always live (peak):       100 B in add

  IPU # 0 memory usage:
    Including Gaps:               4,124 B
    Excluding Gaps:
      Total:                      4,100 B
      By Data Type:
          Variables:                                1,000 B
          Constants:                                    0 B
          Host Exchange Packet Headers:                 0 B
          Global Exchange Packet Headers:               0 B
          Stack:                                    3,000 B
          Vertex Instances:                             0 B
          Copy Descriptors:                             0 B
          VectorList Descriptors:                       0 B
          Vertex Field Data:                            0 B
          Control Table:                                0 B
          Control Code:                                 0 B
          Vertex Code:                                100 B
          Internal Exchange Code:                       0 B
          Host Exchange Code:                           0 B
          Global Exchange Code:                         0 B
          Instrumentation Results:                      0 B
          Messages:                                     0 B
          Rearrangement Buffers:                        0 B
          Shared Code Storage:                          0 B
          Shared Data Storage:                          0 B

Variable Storage Liveness: All tiles
  Always-live bytes:              1,600 B
  Always-live variables:
    x                                               1,600 B
  Not-always-live bytes at peak:    400 B
  Live at peak (DoExchange: fill):
    t                                                 400 B

Optimizations:
  Variables not always live:        400 B
  Stored at peak:                   100 B
  Saved by sharing:                 300 B

Execution:
  Programs executed:
    <anonymous>.

  One step (training):      615 cycles, 615.000 ns

  Total cycles:                                         615 (approx 0.6 microseconds)
  Tile average compute cycles (including idle threads):     180.0 (29.3% of total)
  Tile average compute cycles (excluding idle threads):      82.5 (13.4% of total)
  Tile average IPU exchange cycles:                          22.5 (3.7% of total)
  Tile average global exchange cycles:                        0.0 (0.0% of total)
  Tile average host exchange cycles:                         50.0 (8.1% of total)
  Tile average sync cycles:                                 362.5 (58.9% of total)

  Cycles by kind:
    compute:                300 (48.8% of total)
    exchange:                50 (8.1% of total)
    host:                   230 (37.4% of total)
    sync:                    20 (3.3% of total)
    control:                 15 (2.4% of total)

  Cycles by vertex type:
    Add<float>     (3 instances):          540

   Sequence
     Sync: fill/sync
      Cycles: 20 (0 overlapped with previous)
      Active Tiles: 0 / 4
     DoExchange: fill
      Cycles: 50 (0 overlapped with previous)
      Active Tiles: 2 / 4
      Tile Balance: 45.0%
      Active Tile Balance: 90.0%
      Total Data: 400 B in 2 message(s)
      Data Balance: 25.0%
     Block: body
       Repeat (3 times)
        Cycles: 5 (0 overlapped with previous)
        Executions: 3
        Active Tiles: 0 / 4
         OnTileExecute: add
          Cycles: 100 (0 overlapped with previous)
          Executions: 3
          Active Tiles: 3 / 4
          Thread Balance: 45.8%
          Tile Balance: 60.0%
          Active Tile Balance: 80.0%
          By vertex type:
            Add<float> (3 instances): 180
     StreamCopyBegin: out/sync
      Cycles: 30 (0 overlapped with previous)
      Active Tiles: 0 / 4
     StreamCopyMid: out
      Cycles: 200 (0 overlapped with previous)
      Active Tiles: 1 / 4
      Tile Balance: 25.0%
      Active Tile Balance: 100.0%
      Total Data: 1,600 B in 4 message(s)

Power:
  Energy:                     30.750 uJ
  Average power:                 50.0 W
  Energy by kind of step:
    compute:                  15.000 uJ (48.8% of total)
    exchange:                  2.500 uJ (8.1% of total)
    host exchange:            10.000 uJ (32.5% of total)
    sync:                      3.250 uJ (10.6% of total)

)";

const char *const shortText = R"(Summary:
  Tiles:                               4 of 1 IPU at 1,000.0 MHz
  Vertices:                            3 in 1 compute sets
  Memory of the fullest tile:    9,100 B of 8,192 B, tile 3 (111.1%)
  Memory of a tile on average:   6,100 B
  Tiles out of memory:                 1
  One step (training):               615 cycles, 615.000 ns
  Cycles:                            615 (615.000 ns on the chip)
    compute:                         300 (48.8%)
    exchange:                         50 (8.1%)
    host:                            230 (37.4%)
    sync:                             20 (3.3%)
    control:                          15 (2.4%)
  Exchanged between tiles:         400 B
  Exchanged with the host:       1,600 B
  Longest compute sets (1 of 1):
                                     300 (48.8%) in 3 runs: add
  Energy:                      30.750 uJ (50.0 W on average)
)";

} // namespace

TEST(Summary, PrintsTheWholeProfile) {
  Fixture f;
  f.program.image.memory.tiles.resize(1); // one block of a fullest tile is enough to see
  f.program.run(f.recorder);
  EXPECT_EQ(f.summary({{"showExecutionSteps", "true"},
                       {"showVarStorage", "true"},
                       {"showOptimizations", "true"},
                       {"showPerIpuMemoryUsage", "true"}}),
            wholeText);
}

TEST(Summary, ShortFormFitsAScreen) {
  Fixture f;
  f.program.run(f.recorder);
  EXPECT_EQ(f.summary({{"short", "true"}}), shortText);
}

TEST(Summary, ShortFormSaysWhenNothingRan) {
  const auto text = Fixture().summary({{"short", "true"}});
  EXPECT_NE(text.find("  No program was run.\n"), std::string::npos) << text;
}

TEST(Summary, ShortFormRefusesPartsThatItLeavesOut) {
  EXPECT_EQ(messageOf({{"short", "true"}, {"showVarStorage", "true"}}),
            "Option showVarStorage of printProfileSummary adds a part that the short form leaves "
            "out. Drop it, or the option short.");
  EXPECT_EQ(messageOf({{"short", "true"}, {"showVarStorage", "false"}, {"colours", "true"}}),
            "(no error)");
}

TEST(Summary, HistogramShowsFullTilesAndOverflow) {
  Fixture f;
  EXPECT_NE(f.summary({}).find(R"(
    Range (KB) Histogram (Excluding Gaps)               Count (tiles)
         4 - 5 ****************************************         2
         5 - 6 ********************                             1
         6 - 7                                                  0
         7 - 8                                                  0
         8 - 9 ********************                             1
    Maximum (Including Gaps): 9,124 (8.9 K) on tile 3
    Maximum (Excluding Gaps): 9,100 (8.9 K) on tile 3
    1 tile(s) out of memory
)"),
            std::string::npos);
}

TEST(Summary, SaysWhenNothingRanAndWhenTheTraceIsFull) {
  Fixture f;
  EXPECT_NE(f.summary({}).find("Execution:\n  No program was run.\n"), std::string::npos);
  f.recorder = Recorder(f.program.image, {.trace = true, .maxEvents = 3});
  f.program.run(f.recorder);
  EXPECT_NE(f.summary({}).find("The trace is full: 5 further execution(s)"), std::string::npos);
}

TEST(Summary, ColoursAddOnlyEscapes) {
  Fixture f;
  auto text = f.summary({{"colours", "true"}});
  EXPECT_NE(text.find("\033[1mMemory Usage:\033[0m\n"), std::string::npos);
  for (const char *escape : {"\033[1m", "\033[0m"})
    for (auto at = text.find(escape); at != std::string::npos; at = text.find(escape))
      text.erase(at, 4);
  EXPECT_EQ(text, f.summary({}));
}

TEST(Summary, PrintsFilesAsItPrintsEngines) {
  Fixture f;
  f.program.run(f.recorder);
  const auto path =
      (std::filesystem::temp_directory_path() / ("summary-" + std::to_string(getpid()) + ".pop"))
          .string();
  writeProfile(path, f.source());
  std::ostringstream whole, graph;
  poplar::printProfileSummary(whole, path, {});
  poplar::printGraphSummary(graph, path, {});
  std::filesystem::remove(path);
  EXPECT_EQ(whole.str(), f.summary({}));
  EXPECT_EQ(whole.str().rfind(graph.str(), 0), 0u);
  EXPECT_EQ(graph.str().find("Execution:"), std::string::npos);
  EXPECT_THROW(poplar::printProfileSummary(whole, path, {}), poplar_error);
}

TEST(Summary, RefusesUnknownOptionsAndValues) {
  EXPECT_EQ(messageOf({{"showExecutionStep", "true"}})
                .find("Unknown option \"showExecutionStep\" of printProfileSummary. Did you mean "
                      "\"showExecutionSteps\"?"),
            0u);
  EXPECT_NE(messageOf({{"colours", "yes"}}).find("must be true or false"), std::string::npos);
}
