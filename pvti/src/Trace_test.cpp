// SPDX-License-Identifier: MIT
#include "pvti/pvti.hpp"
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

// PVTI_OPTIONS is read once in a process, so each case is a process of its own.
static void inChild(const char *options, void (*work)()) {
  EXPECT_EXIT(
      {
        if (options)
          ::setenv("PVTI_OPTIONS", options, 1);
        else
          ::unsetenv("PVTI_OPTIONS");
        work();
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

static const std::string folder = "/tmp/openipu-pvti-test-" + std::to_string(::getpid());

static void traced() {
  pvti::TraceChannel mine("mine"), other("other");
  {
    pvti::Tracepoint outer(&mine, "outer", pvti::createJsonMetadata(R"({"epoch": 3})"));
    pvti::Tracepoint::event(&mine, "now");
    pvti::Tracepoint::begin(&mine, "inner");
    pvti::Tracepoint::end(&mine, "inner");
    pvti::Tracepoint unseen(&other, "unseen");
    pvti::disableTraceChannel(&mine);
    pvti::Tracepoint::event(&mine, "off");
    pvti::enableTraceChannel("mine");
  }
  pvti::Graph("Loss", "%").addSeries("train").add(0.5);
  const auto name = pvti::getCurrentTraceFilename();
  pvti::closeTrace();
  EXPECT_EQ(pvti::getCurrentTraceFilename(), "");
  std::ifstream in(name);
  const auto events = nlohmann::json::parse(in);
  std::vector<std::string> seen;
  double last = 0;
  for (const auto &event : events) {
    seen.push_back(event["ph"].get<std::string>() + " " + event["name"].get<std::string>());
    EXPECT_GE(event["ts"].get<double>(), last);
    last = event["ts"];
    EXPECT_EQ(event["pid"], ::getpid());
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"B outer", "i now", "B inner", "E inner", "E outer",
                                            "C Loss [%]"}));
  EXPECT_EQ(events[0]["args"]["metadata"]["epoch"], 3);
  EXPECT_EQ(events[0]["cat"], "mine");
  EXPECT_EQ(events[5]["args"]["train"], 0.5);
}

TEST(Trace, WritesWhatTheChosenChannelsDo) {
  const auto options =
      R"({"enable": "true", "directory": ")" + folder + R"(", "channels": ["mine"]})";
  inChild(options.c_str(), traced);
  std::filesystem::remove_all(folder);
}

// Members are often made from a list, and labels are pieces of longer texts.
struct Traced {
  pvti::TraceChannel channel = {"mine"};
  pvti::Graph graph = {"Loss", "%"};
  pvti::Metadata metadata = {"first"};
};
static void tracedFromLists() {
  Traced program;
  const char *text = "epoch and more";
  { pvti::Tracepoint point(&program.channel, text, 5, &program.metadata); }
  { pvti::Tracepoint point(&program.channel, text, 5, nullptr); }
  const auto name = pvti::getCurrentTraceFilename();
  pvti::closeTrace();
  std::ifstream in(name);
  const auto events = nlohmann::json::parse(in);
  ASSERT_EQ(events.size(), 4u);
  for (const auto &event : events)
    EXPECT_EQ(event["name"], "epoch");
  EXPECT_EQ(events[0]["args"]["metadata"], "first");
  EXPECT_FALSE(events[2].contains("args"));
}
TEST(Trace, ChannelsComeFromListsAndLabelsHaveLengths) {
  const auto options = R"({"enable": "true", "directory": ")" + folder + R"("})";
  inChild(options.c_str(), tracedFromLists);
  std::filesystem::remove_all(folder);
}

// Whatever ends a process, its file is a list of events but for the closing bracket; a child of
// fork writes to one of its own.
TEST(Trace, IsWholeWhenTheProcessIsKilledAndSplitsAtAFork) {
  const auto options = R"({"enable": "true", "directory": ")" + folder + R"("})";
  EXPECT_EXIT(
      {
        ::setenv("PVTI_OPTIONS", options.c_str(), 1);
        pvti::TraceChannel mine("mine");
        for (int i = 0; i < 20'000; ++i) // more than one window of the file
          pvti::Tracepoint::event(&mine, "a label \"with\" quotes");
        if (::fork() == 0) {
          pvti::Tracepoint::event(&mine, "child");
          ::kill(::getpid(), SIGKILL);
        }
        ::wait(nullptr);
        pvti::Tracepoint::event(&mine, "parent");
        ::kill(::getpid(), SIGKILL);
      },
      ::testing::KilledBySignal(SIGKILL), "");
  std::multiset<std::size_t> sizes;
  for (const auto &file : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(file.path());
    std::string text(std::istreambuf_iterator<char>(in), {});
    sizes.insert(nlohmann::json::parse(text + "]").size());
  }
  EXPECT_EQ(sizes, (std::multiset<std::size_t>{1, 20'001}));
  std::filesystem::remove_all(folder);
}

static void namedAndSpread() {
  pvti::TraceChannel mine("mine");
  pvti::Client client("loader 3");
  pvti::ThreadName name("the \"main\" thread");
  pvti::HeatmapDouble spread("Latency", {0, 1, 10}, "ms");
  spread.add({0, 0.5, 1, 9.9, 10, -3, std::nan("")});
  spread.add({});
  pvti::closeTrace();
  pvti::HeatmapInt("Lengths", {0, 5}).add({4});
  const auto second = pvti::getCurrentTraceFilename();
  pvti::closeTrace();
  std::vector<nlohmann::json> lines;
  for (const auto &file : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(file.path());
    const auto events = nlohmann::json::parse(in);
    EXPECT_EQ(events[0]["args"]["name"], "loader 3"); // every file has the names
    EXPECT_EQ(events[1]["args"]["name"], "the \"main\" thread");
    EXPECT_EQ(events[1]["name"], "thread_name");
    EXPECT_EQ(events.size(), file.path() == second ? 3u : 4u);
    if (file.path() == second) {
      EXPECT_EQ(events[2]["args"], (nlohmann::json{{"[0, 5)", 1}}));
      continue;
    }
    EXPECT_EQ(events[2]["cat"], "heatmap");
    EXPECT_EQ(events[2]["name"], "Latency [ms]");
    EXPECT_EQ(events[2]["args"],
              (nlohmann::json{
                  {"[-inf, 0.0)", 1}, {"[0.0, 1.0)", 2}, {"[1.0, 10.0)", 2}, {"[10.0, inf)", 1}}));
    EXPECT_EQ(events[3]["args"], (nlohmann::json{{"[0.0, 1.0)", 0}, {"[1.0, 10.0)", 0}}));
  }
}

TEST(Trace, HeatMapsCountAndNamesComeFirst) {
  std::filesystem::remove_all(folder);
  const auto options = R"({"enable": "true", "directory": ")" + folder + R"("})";
  inChild(options.c_str(), namedAndSpread);
  std::filesystem::remove_all(folder);
  using Edges = std::vector<double>;
  for (const auto &edges : {Edges{}, Edges{1}, Edges{2, 1}, Edges{1, 1}, Edges{0, std::nan("")}})
    EXPECT_THROW(pvti::HeatmapDouble("bad", edges), std::invalid_argument);
}

TEST(Trace, IsOffUnlessAskedFor) {
  inChild(nullptr, [] {
    pvti::TraceChannel mine("mine");
    pvti::Tracepoint point(&mine, "label");
    EXPECT_FALSE(pvti::checkTraceChannel(&mine));
    EXPECT_FALSE(pvti::checkTraceChannel("poplar"));
    EXPECT_EQ(pvti::getCurrentTraceFilename(), "");
    EXPECT_EQ(pvti::listTraceChannels(), (std::vector<std::string>{"drivers", "mine", "poplar"}));
  });
}

TEST(Trace, NamesABadOption) {
  inChild(R"({"enabled": "true"})", [] {
    pvti::TraceChannel mine("mine");
    try {
      pvti::Tracepoint::event(&mine, "label");
      ADD_FAILURE();
    } catch (const std::runtime_error &e) {
      EXPECT_NE(std::string(e.what()).find("there is no option \"enabled\""), std::string::npos);
    }
  });
}

TEST(Trace, MetadataMustBeJsonToBeCalledSo) {
  EXPECT_THROW(pvti::createJsonMetadata("{"), std::invalid_argument);
}
