// SPDX-License-Identifier: MIT
// All calibration rows, their summary, and both ways of printing them.
#include "arch/Calibration.hpp"
#include "base/Text.hpp"
#include "Rows.hpp"
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace arch {

std::vector<CalibrationRow> calibrationRows() {
  calibration::Rows rows;
  calibration::addComputeRows(rows);
  calibration::addExchangeRows(rows);
  calibration::addStencilRows(rows);
  calibration::addOutsideRows(rows);
  std::vector<std::string> sections;
  for (const auto &row : rows)
    if (std::find(sections.begin(), sections.end(), row.section) == sections.end())
      sections.push_back(row.section);
  const auto rank = [&](const CalibrationRow &row) {
    return std::find(sections.begin(), sections.end(), row.section) - sections.begin();
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
  return rows;
}

static CalibrationSummary summaryOf(const std::string &section,
                                    const std::vector<CalibrationRow> &rows) {
  CalibrationSummary summary;
  summary.section = section;
  double logs = 0;
  for (const auto &row : rows)
    if (section == "all" || row.section == section) {
      ++summary.rows;
      logs += std::log(row.ratio());
      if (summary.worstId.empty() ||
          std::abs(std::log(row.ratio())) > std::abs(std::log(summary.worst))) {
        summary.worst = row.ratio();
        summary.worstId = row.id;
      }
    }
  summary.geometricMean = std::exp(logs / std::max(1u, summary.rows));
  return summary;
}

std::vector<CalibrationSummary> summarise(const std::vector<CalibrationRow> &rows) {
  std::vector<CalibrationSummary> out;
  for (const auto &row : rows)
    if (std::none_of(out.begin(), out.end(), [&](auto &s) { return s.section == row.section; }))
      out.push_back(summaryOf(row.section, rows));
  out.push_back(summaryOf("all", rows));
  return out;
}

static std::string number(double value) {
  std::ostringstream out;
  if (value >= 10000)
    out << std::fixed << std::setprecision(0) << value;
  else
    out << std::setprecision(4) << value;
  return out.str();
}

static std::string ratioText(double value) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << value;
  return out.str();
}

std::string calibrationTable(const std::vector<CalibrationRow> &rows) {
  std::ostringstream out;
  std::string section;
  for (const auto &row : rows) {
    if (row.section != section) {
      section = row.section;
      out << "\n" << section << "\n";
    }
    out << "  " << std::left << std::setw(16) << row.id << std::setw(50) << row.what << std::right
        << std::setw(9) << number(row.published) << std::setw(9) << number(row.modelled) << " "
        << std::left << std::setw(8) << row.unit << std::right << std::setw(5)
        << ratioText(row.ratio()) << (std::abs(row.ratio() - 1) > 0.3 ? " !" : "  ") << " "
        << row.note << "\n";
  }
  out << "\nmodel / published         rows  geometric mean  worst\n";
  for (const auto &s : summarise(rows))
    out << "  " << std::left << std::setw(24) << s.section << std::right << std::setw(4) << s.rows
        << std::setw(12) << ratioText(s.geometricMean) << std::setw(11) << ratioText(s.worst)
        << "  " << s.worstId << "\n";
  return out.str().substr(1);
}

static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

std::string calibrationJson(const std::vector<CalibrationRow> &rows) {
  std::ostringstream out;
  out << std::setprecision(10) << "{\"rows\": [";
  const char *next = "\n";
  for (const auto &row : rows) {
    out << next << "  {\"id\": " << quoted(row.id) << ", \"section\": " << quoted(row.section)
        << ", \"what\": " << quoted(row.what) << ", \"published\": " << row.published
        << ", \"model\": " << row.modelled << ", \"unit\": " << quoted(row.unit)
        << ", \"ratio\": " << row.ratio() << ", \"note\": " << quoted(row.note) << "}";
    next = ",\n";
  }
  out << "\n], \"summary\": [";
  next = "\n";
  for (const auto &s : summarise(rows)) {
    out << next << "  {\"section\": " << quoted(s.section) << ", \"rows\": " << s.rows
        << ", \"geometricMean\": " << s.geometricMean << ", \"worst\": " << s.worst
        << ", \"worstId\": " << quoted(s.worstId) << "}";
    next = ",\n";
  }
  out << "\n]}\n";
  return out.str();
}

} // namespace arch
