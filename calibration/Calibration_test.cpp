// SPDX-License-Identifier: MIT
// Kinds that need no whole model are measured here as the command measures them, and pinned.
#include "Processes.hpp"
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <unistd.h>

using namespace calibration;

TEST(Calibration, IdsAreUniqueAndEveryRowSaysWhatItIs) {
  std::set<std::string> ids;
  for (const auto &row : allRows()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_GT(row.published, 0) << row.id;
    EXPECT_FALSE(row.source.empty()) << row.id;
    const bool nothingReadOff = row.role == Role::Evidence || row.role == Role::Fits;
    EXPECT_EQ(row.sets.empty(), nothingReadOff) << row.id;
  }
}

TEST(Calibration, SummariesCountEvidenceOnly) {
  const auto row = [](const char *id, const char *kind, double published, double model) {
    Row r{id, kind, "", published, Unit::Cycles, "X", [model] { return Figure{model}; }};
    return r;
  };
  auto fitted = row("c", "x", 1, 100);
  fitted.setting("gap");
  const std::vector<Measured> rows = {measure(row("a", "x", 1, 2)), measure(row("b", "x", 8, 1)),
                                      measure(fitted), measure(row("d", "y", 1, 1))};
  const auto summary = summarise(rows);
  ASSERT_EQ(summary.size(), 3u);
  EXPECT_DOUBLE_EQ(summary[0].geometricMean, 0.5);
  EXPECT_EQ(summary[0].worstId, "b");
  EXPECT_EQ(summary[0].rows, 2u);
  EXPECT_DOUBLE_EQ(summary[0].meanError, (1 + 7. / 8) / 2);
  EXPECT_FALSE(summary[0].correlation); // two points lie on a line
  EXPECT_EQ(summary[2].rows, 3u);
  EXPECT_DOUBLE_EQ(summary[2].medianError, 7. / 8);
}

TEST(Calibration, CorrelationIsWithinKindsAndUnits) {
  std::vector<Measured> rows;
  const auto add = [&](const char *kind, Unit unit, double published, double model) {
    rows.push_back(measuredAs({"", kind, "", published, unit, "X", nullptr}, {model}));
  };
  for (double x : {1., 2., 4.})
    add("x", Unit::Cycles, x, 3 * x);
  for (double x : {1000., 2000., 4000.})
    add("x", Unit::PerSecond, x, 8e6 / x);
  add("models: x", Unit::PerSecond, 5, 5);
  const auto summary = summarise(rows);
  ASSERT_EQ(summary.size(), 4u);
  EXPECT_EQ(summary[2].kind, "whole models");
  EXPECT_EQ(summary[2].rows, 1u);
  ASSERT_TRUE(summary[0].correlation);
  EXPECT_NEAR(*summary[0].correlation, 0, 1e-12); // 1 of cycles and -1 of rates, alike in size
}

TEST(Calibration, RatesAreTurnedRound) {
  const Row row{"a", "x", "", 10, Unit::Teraflops, "X", [] { return Figure{20}; }};
  EXPECT_DOUBLE_EQ(measure(row).ratio, 0.5); // twice as fast
}

// Three processes: figures come in order, rows of one program are measured by one of them, and a
// row that fails is named.
TEST(Calibration, ProcessesMeasureRowsInOrder) {
  Rows rows;
  for (unsigned i = 0; i < 40; ++i) {
    rows.push_back({"r" + std::to_string(i), "x", "", 1, Unit::Cycles, "X", [i] {
                      return Figure{double(i), std::to_string(getpid()), std::string(70000, 'p')};
                    }});
    rows.back().run = i % 4 == 0 ? "one program" : "";
  }
  const auto measured = measureAll(rows, 3);
  ASSERT_EQ(measured.size(), rows.size());
  std::set<std::string> processes;
  for (unsigned i = 0; i < 40; ++i) {
    EXPECT_EQ(measured[i].model.value, i);
    EXPECT_EQ(measured[i].model.profile.size(), 70000u);
    EXPECT_NE(measured[i].model.note, std::to_string(getpid()));
    if (i % 4 == 0)
      processes.insert(measured[i].model.note);
  }
  EXPECT_EQ(processes.size(), 1u);
  rows[7].model = []() -> Figure { throw std::runtime_error("no such codelet"); };
  try {
    measureAll(rows, 2);
    ADD_FAILURE();
  } catch (const std::runtime_error &e) {
    EXPECT_STREQ(e.what(), "r7: no such codelet");
  }
  rows[7].model = []() -> Figure { _exit(3); };
  EXPECT_THROW(measureAll(rows, 2), std::runtime_error);
}

namespace {

// The table in docs/timing.md, as `--markdown` wrote it: lines of rows by id, their ratios; then
// lines of kinds with mean error in per cent and geometric mean.
struct Document {
  struct Kind {
    double meanError, geometricMean;
  };
  std::map<std::string, double> ratios;
  std::map<std::string, Kind> kinds;

  Document() {
    std::ifstream file(OPENIPU_CALIBRATION "/../docs/timing.md");
    std::string line;
    while (std::getline(file, line) && line != "<!-- calibration: begin -->")
      ;
    bool summary = false;
    const auto number = [&](std::size_t from, std::size_t width) {
      return line.size() > from ? std::atof(line.substr(from, width).c_str()) : 0;
    };
    while (std::getline(file, line) && line != "<!-- calibration: end -->") {
      summary = summary || line.rfind("errors", 0) == 0;
      if (line.rfind("  ", 0) != 0)
        continue;
      auto name = line.substr(2, summary ? 24 : 16);
      name.resize(name.find_last_not_of(' ') + 1);
      if (summary)
        kinds[name] = {number(30, 8), number(72, 16)};
      else
        ratios[name] = number(95, 5);
    }
  }
};

class CalibrationKind : public testing::TestWithParam<std::string> {};

} // namespace

TEST(Calibration, TheDocumentShowsEveryRow) {
  const Document document;
  std::set<std::string> ids;
  for (const auto &row : allRows()) {
    ids.insert(row.id);
    EXPECT_GT(document.ratios.count(row.id), 0u) << row.id;
  }
  for (const auto &shown : document.ratios)
    EXPECT_GT(ids.count(shown.first), 0u) << shown.first;
}

// After a change of the model: openipu-calibration --markdown, into docs/timing.md.
TEST_P(CalibrationKind, IsWhatTheDocumentSays) {
  const Document document;
  std::vector<Measured> measured;
  for (const auto &row : allRows())
    if (row.kind == GetParam()) {
      measured.push_back(measure(row));
      const auto shown = document.ratios.at(row.id);
      EXPECT_NEAR(measured.back().ratio, shown, 0.05 * shown + 0.005) << row.id;
    }
  const auto summary = summarise(measured).front();
  if (summary.rows) {
    EXPECT_NEAR(summary.geometricMean, document.kinds.at(GetParam()).geometricMean, 0.03);
    EXPECT_LT(100 * summary.meanError, document.kinds.at(GetParam()).meanError + 0.5);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, CalibrationKind,
                         testing::Values("on-tile copies", "exchange", "sync", "host", "streams",
                                         "C++ vertices", "products, half", "products, float",
                                         "sparse", "convolution", "power", "tile memory"));

// These kinds take minutes; a few rows stand for the rest.
TEST(Calibration, LinksAndModelsAreWhatTheDocumentSays) {
  const Document document;
  const std::set<std::string> some = {"B14 x4", "B16 x4",    "B17 x2", "E15",
                                      "M2",     "M14 SL128", "M25 128"};
  for (const auto &row : allRows())
    if (some.count(row.id)) {
      const auto shown = document.ratios.at(row.id);
      EXPECT_NEAR(measure(row).ratio, shown, 0.05 * shown + 0.005) << row.id;
    }
}
