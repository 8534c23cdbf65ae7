// SPDX-License-Identifier: MIT
#include "HostTrace.hpp"
#include "HostViews.hpp"
#include "Views.hpp"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace popvision;

static HostTraces tracesOf(const std::string &text) { return {parseHostTrace(text, "x")}; }

TEST(HostTrace, NestsBeginningsAndEndsAndGivesTimesFromTheFirstEvent) {
  const auto trace = parseHostTrace(R"([
{"ph":"B","name":"outer","cat":"c","pid":7,"tid":8,"ts":100.5},
{"ph":"B","name":"inner \"x\"","cat":"c","pid":7,"tid":8,"ts":101},
{"ph":"E","pid":7,"tid":8,"ts":103},
{"ph":"E","pid":7,"tid":8,"ts":104.5}])",
                                    "x");
  ASSERT_EQ(trace->threads.size(), 1u);
  const auto &events = trace->threads[0].events;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].start, 0);
  EXPECT_EQ(events[0].duration, 4000);
  EXPECT_EQ(events[1].start, 500);
  EXPECT_EQ(events[1].depth, 1u);
  EXPECT_EQ(trace->nameOf(events[1]), "inner \"x\"");
  EXPECT_TRUE(trace->complete);
}

TEST(HostTrace, SortsWholeEventsThatComeInAnyOrder) {
  const auto trace = parseHostTrace(
      R"({"other":[1,{"a":"]"}],"traceEvents":[{"ph":"X","name":"late","pid":1,"tid":1,"ts":5,"dur":1},
{"ph":"X","name":"outer","pid":1,"tid":1,"ts":0,"dur":10}]})",
      "x");
  const auto &events = trace->threads.at(0).events;
  EXPECT_EQ(trace->nameOf(events[0]), "outer");
  EXPECT_EQ(events[1].depth, 1u);
}

TEST(HostTrace, TakesWhatIsThereOfAFileThatEndsInTheMiddle) {
  const std::string whole = R"([
{"ph":"B","name":"a","cat":"c","pid":1,"tid":1,"ts":1},
{"ph":"i","name":"b","cat":"c","pid":1,"tid":1,"ts":9})";
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const auto trace = parseHostTrace(std::string_view(whole).substr(0, size), "x");
    EXPECT_LE(trace->numEvents, 2u);
  }
  const auto open = parseHostTrace(whole + "        ", "x"); // the room that a writer keeps ahead
  EXPECT_TRUE(open->complete);
  EXPECT_EQ(open->threads.at(0).events.at(0).duration, 8000) << "it was still going on";
}

// Lines as pvti writes them and as others do, one after the other, in pieces of every size.
TEST(HostTrace, IsTheSameInHoweverSmallPiecesItIsRead) {
  const std::string text = R"([
{"ph":"B","name":"a","cat":"c","pid":1,"tid":1,"ts":1.250},
{"ph":"B","name":"b \"q\"","cat":"c","pid":1,"tid":2,"ts":2.5},
{ "ts" : 3e0 , "tid":1, "pid" : 1, "cat":"c", "name":"i", "ph":"i", "other":{"x":["]"]} },
{"ph":"E","name":"a","cat":"c","pid":1,"tid":1,"args":{"metadata":{"ipuSeconds":0.5}},"ts":1004.000},
{"ph":"X","name":"w","pid":1,"tid":3,"ts":7,"dur":0.125}
])";
  const auto path = testing::TempDir() + "popvision-pieces-" + std::to_string(::getpid());
  std::ofstream(path) << text;
  const auto expected = hostPerfetto(tracesOf(text));
  for (std::size_t piece = 20; piece < text.size() + 2; piece += 7) {
    const auto trace = readHostTrace(path, piece);
    EXPECT_EQ(hostPerfetto({trace}), expected) << piece;
    EXPECT_EQ(trace->numEvents, 5u);
    ASSERT_EQ(trace->runs.size(), 1u);
    EXPECT_EQ(trace->runs[0].duration, 1'002'750);
    EXPECT_TRUE(trace->complete);
  }
  std::remove(path.c_str());
}

TEST(HostTrace, RefusesWhatIsNone) {
  for (const char *text : {"", "hello", "{}", "{\"a\":1}", "17"})
    EXPECT_THROW(parseHostTrace(text, "x"), std::runtime_error) << text;
}

TEST(HostViews, MergesWhatIsNarrowerThanAPixelAndCountsIt) {
  std::string text = "[";
  for (int i = 0; i < 210'000; ++i)
    text += (i ? ",\n" : "\n") +
            std::string(R"({"ph":"X","name":"e","pid":1,"tid":1,"dur":0.5,"ts":)") +
            std::to_string(i) + "}";
  const auto traces = tracesOf(text + "]");
  const auto all = hostEventsView(traces, 0, 210'000'000, 100);
  const auto &thread = all.threads[0];
  EXPECT_LE(thread.start.size(), 202u);
  std::uint64_t count = 0;
  for (const auto each : thread.count)
    count += each;
  EXPECT_EQ(count, 210'000u);
  const auto close = hostEventsView(traces, 1'000'000, 1'010'000, 100);
  EXPECT_EQ(close.threads[0].start.size(), 11u) << "ten microseconds: each event by itself";
}

// Callbacks within a run are the host's work; a report between runs is nobody's.
TEST(HostViews, CountsWhatStreamsCallAndNotWhatReportsTake) {
  const auto event = [](const char *name, int from, int to, const std::string &end = "") {
    const std::string common = R"(,"cat":"poplar","pid":1,"tid":1,"ts":)";
    return std::pair(R"({"ph":"B","name":")" + std::string(name) + "\"" + common +
                         std::to_string(from) + "}",
                     R"({"ph":"E","name":"")" + end + common + std::to_string(to) + "}");
  };
  const std::string cost = R"(,"args":{"metadata":{"ipuSeconds":0.0001}})";
  const auto outer = event("Session::run", 0, 1100), run = event("Engine::run", 0, 1000, cost),
             callback = event("input", 100, 400), inner = event("decode", 200, 300),
             report = event("write report", 2000, 7000),
             last = event("Engine::run", 8000, 8500, cost);
  const auto v = verdict(tracesOf("[" + outer.first + "," + run.first + "," + callback.first + "," +
                                  inner.first + "," + inner.second + "," + callback.second + "," +
                                  run.second + "," + outer.second + "," + report.first + "," +
                                  report.second + "," + last.first + "," + last.second + "]"));
  EXPECT_EQ(v.runs, 2u);
  EXPECT_DOUBLE_EQ(v.callbacks, 300e-6);
  EXPECT_DOUBLE_EQ(v.reports, 5000e-6);
  EXPECT_DOUBLE_EQ(v.simulated, 1200e-6);
  EXPECT_NEAR(v.between, 2000e-6, 1e-12);
  EXPECT_EQ(v.text.rfind("Host-bound", 0), 0u);
}

TEST(HostViews, SaysWhoWaitsForWhom) {
  const auto run = [](int from, int to, double seconds) {
    return R"({"ph":"B","name":"Engine::run","cat":"poplar","pid":1,"tid":1,"ts":)" +
           std::to_string(from) + R"(},{"ph":"E","pid":1,"tid":1,"ts":)" + std::to_string(to) +
           R"(,"args":{"metadata":{"ipuSeconds":)" + std::to_string(seconds) + "}}}";
  };
  const auto host =
      verdict(tracesOf("[" + run(0, 1000, 0.001) + "," + run(900'000, 901'000, 0.001) + "]"));
  EXPECT_EQ(host.runs, 2u);
  EXPECT_DOUBLE_EQ(host.between, 0.899);
  EXPECT_DOUBLE_EQ(host.ipu, 0.002);
  EXPECT_EQ(host.text.rfind("Host-bound", 0), 0u);
  const auto ipu = verdict(tracesOf("[" + run(0, 1000, 0.5) + "," + run(1100, 2000, 0.5) + "]"));
  EXPECT_EQ(ipu.text.rfind("IPU-bound", 0), 0u);
}

TEST(HostTrace, ReadsHeatMapsWhoseBinsComeAndGo) {
  const auto traces = tracesOf(R"json([
{"ph":"M","name":"process_name","pid":7,"tid":8,"args":{"name":"loader"}},
{"ph":"M","name":"thread_name","pid":7,"tid":8,"args":{"name":"reader"}},
{"ph":"B","name":"x","pid":7,"tid":8,"ts":1},
{"ph":"C","name":"L [ms]","cat":"heatmap","pid":7,"tid":8,"args":{"[0.0, 1.0)":3,"[1.0, 10.0)":0},"ts":2},
{"ph":"C","name":"L [ms]","cat":"heatmap","pid":7,"tid":8,"ts":5,
 "args":{"[-inf, 0.0)":1,"[0.0, 1.0)":2,"odd":9}}])json");
  ASSERT_EQ(traces[0]->heatmaps.size(), 1u);
  EXPECT_TRUE(traces[0]->counters.empty());
  const auto &map = traces[0]->heatmaps[0];
  EXPECT_EQ(map.times, (std::vector<std::int64_t>{1000, 4000}));
  EXPECT_EQ(map.counts, (std::vector<std::vector<double>>{{0, 3, 0}, {1, 2, 0}}));
  const auto view = nlohmann::json::parse(toJson(hostView(traces)));
  EXPECT_EQ(view["heatmaps"][0]["bins"], nlohmann::json({"-inf", "0", "0", "1", "1", "10"}));
  EXPECT_EQ(view["heatmaps"][0]["counts"], nlohmann::json({0, 3, 0, 1, 2, 0}));
  EXPECT_EQ(view["files"][0]["processes"][0], "7 loader");
  EXPECT_EQ(view["threads"][0]["name"], "reader");
  const auto again = tracesOf(hostPerfetto(traces)); // and what it writes says the same
  EXPECT_EQ(again[0]->heatmaps.at(0).counts, map.counts);
  EXPECT_EQ(again[0]->heatmaps.at(0).bins, map.bins);
}

TEST(HostTrace, SaysWhatADatabaseIs) {
  try {
    parseHostTrace("SQLite format 3 and more", "old.pvti");
    FAIL();
  } catch (const std::runtime_error &e) {
    EXPECT_NE(std::string(e.what()).find("vendor"), std::string::npos) << e.what();
  }
}
