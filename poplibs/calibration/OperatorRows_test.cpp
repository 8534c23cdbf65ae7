// SPDX-License-Identifier: MIT
#include "OperatorRows.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

TEST(OperatorCalibration, MeetsPublishedFigures) {
  for (const auto &s : arch::summarise(calibration::operatorRows())) {
    if (s.rows > 1) {
      EXPECT_NEAR(s.geometricMean, 1, 0.10) << s.section;
    }
    EXPECT_NEAR(s.worst, 1, 0.30) << s.section << ": " << s.worstId;
  }
}

// Tighter than the bounds above, so that a change of the model is noticed.
TEST(OperatorCalibration, IsAsCloseAsItWas) {
  const auto all = arch::summarise(calibration::operatorRows()).back();
  EXPECT_EQ(all.section, "all");
  EXPECT_EQ(all.rows, 73u);
  EXPECT_NEAR(all.geometricMean, 1.03, 0.02);
  double squares = 0;
  for (const auto &row : calibration::operatorRows())
    squares += std::log(row.ratio()) * std::log(row.ratio());
  EXPECT_LT(std::sqrt(squares / all.rows), 0.10);
}

TEST(OperatorCalibration, IdsAreUniqueAndRowsAreTheSameEveryTime) {
  const auto rows = calibration::operatorRows();
  std::set<std::string> ids;
  for (const auto &row : rows)
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
  EXPECT_EQ(arch::calibrationJson(rows), arch::calibrationJson(calibration::operatorRows()));
}
