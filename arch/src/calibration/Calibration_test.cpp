// SPDX-License-Identifier: MIT
#include "arch/Calibration.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace arch;

TEST(Calibration, MeetsPublishedFiguresOnAverage) {
  const auto all = summarise(calibrationRows()).back();
  EXPECT_EQ(all.section, "all");
  EXPECT_NEAR(all.geometricMean, 1, 0.10);
}

TEST(Calibration, OnlyExplainedRowsAreFarOff) {
  const std::set<std::string> explained = {"E8",    "E9",    "B11 sync",
                                           "B5 x8", "B6 x8", "B7 x16"}; // docs/timing.md
  std::set<std::string> far;
  for (const auto &row : calibrationRows())
    if (std::abs(row.ratio() - 1) > 0.3)
      far.insert(row.id);
  EXPECT_EQ(far, explained);
}

TEST(Calibration, SingleIpuSectionsAreWithinTenPercent) {
  for (const auto &s : summarise(calibrationRows()))
    if (s.section != "blur, several IPUs" && s.section != "independent") {
      EXPECT_NEAR(s.geometricMean, 1, 0.105) << s.section;
    }
}

TEST(Calibration, IdsAreUniqueAndRowsAreTheSameEveryTime) {
  const auto rows = calibrationRows();
  std::set<std::string> ids;
  for (const auto &row : rows) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_GT(row.modelled, 0) << row.id;
  }
  EXPECT_EQ(calibrationJson(rows), calibrationJson(calibrationRows()));
}

TEST(Calibration, SummarisesWithTheGeometricMeanAndTheWorst) {
  const std::vector<CalibrationRow> rows = {{"a", "x", "", 1, 2, "", "", "gap"},
                                            {"b", "x", "", 8, 1, "", ""},
                                            {"c", "y", "", 1, 1, "", ""}};
  const auto summary = summarise(rows);
  ASSERT_EQ(summary.size(), 4u);
  EXPECT_DOUBLE_EQ(summary[0].geometricMean, 0.5);
  EXPECT_EQ(summary[0].worstId, "b");
  EXPECT_EQ(summary[1].geometricMean, 1);
  EXPECT_EQ(summary[2].section, "independent");
  EXPECT_EQ(summary[2].rows, 2u);
  EXPECT_EQ(summary[3].rows, 3u);
}
