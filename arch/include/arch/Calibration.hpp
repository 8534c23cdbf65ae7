// SPDX-License-Identifier: MIT
// The model beside published measurements that need neither graphs nor operators.
#pragma once
#include <string>
#include <vector>

namespace arch {

struct CalibrationRow {
  std::string id;      // of the published table: "B9 exchange"
  std::string section; // rows are summarised by section
  std::string what;
  double published = 0, modelled = 0;
  std::string unit;
  std::string note; // how the row is modelled; why, when it is far off
  std::string sets =
      {}; // the constant that was read off this row; such a row checks arithmetic, not the model
  double ratio() const { return modelled / published; }
};

struct CalibrationSummary {
  std::string section;
  unsigned rows = 0;
  double geometricMean = 1; // of the ratios
  double worst = 1;         // the ratio farthest from 1
  std::string worstId;
};

std::vector<CalibrationRow> calibrationRows();
// One per section in order of first appearance, then "independent" (rows that set no constant) and
// "all".
std::vector<CalibrationSummary> summarise(const std::vector<CalibrationRow> &rows);

std::string calibrationTable(const std::vector<CalibrationRow> &rows);
std::string calibrationJson(const std::vector<CalibrationRow> &rows);

} // namespace arch
