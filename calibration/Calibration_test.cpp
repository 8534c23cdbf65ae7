// SPDX-License-Identifier: MIT
// Kinds that need no whole model are measured here as the command measures them, and pinned.
#include "Report.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace calibration;

TEST(Calibration, IdsAreUniqueAndEveryRowSaysWhatItIs) {
  std::set<std::string> ids;
  for (const auto &row : allRows()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_GT(row.published, 0) << row.id;
    EXPECT_FALSE(row.source.empty()) << row.id;
    EXPECT_EQ(row.sets.empty(), row.role == Role::Evidence) << row.id;
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
  EXPECT_EQ(summary[2].rows, 3u);
}

TEST(Calibration, RatesAreTurnedRound) {
  const Row row{"a", "x", "", 10, Unit::Teraflops, "X", [] { return Figure{20}; }};
  EXPECT_DOUBLE_EQ(measure(row).ratio, 0.5); // twice as fast
}
