// SPDX-License-Identifier: MIT
// All calibration rows, their summary, and both ways of printing them.
#include "arch/Calibration.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include "Rows.hpp"
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace arch {

namespace {

// Which constant was read off which rows, and rows that only repeat others; reasons in
// docs/timing.md.
struct Fit {
  const char *constant;
  std::vector<std::string> ids;
};

const std::vector<Fit> &fits() {
  static const std::vector<Fit> table = {
      {"instruction costs",
       {"S1", "S4", "S5", "S6", "S7", "B9 compute", "B10 compute", "B11 compute"}},
      {"block size", {"B12 compute"}},
      {"launch", {"E18"}},
      {"message gap",
       {"E7", "B9 exchange", "B10 exchange", "B11 exchange", "B12 exchange", "B13 exchange"}},
      {"piece and call",
       {"E11", "B9 pre-copy", "B9 post-copy", "B10 pre-copy", "B10 post-copy", "B11 pre-copy",
        "B11 post-copy", "B12 pre-copy", "B12 post-copy", "B13 pre-copy", "B13 post-copy"}},
      {"boundary", {"E5", "E6", "B9 sync", "B10 sync"}},
      {"hop and split", {"B12 links", "B13 links"}},
      {"links of a rung", {"E15"}},
      {"host", {"E2", "E16 out", "E16 in", "E17 begin", "E17 mid"}},
      {"the sum of B9 to B13", {"B1 x1", "B2 x1", "B3 x1", "B4 x16", "B5 x16"}},
      {"watts", {"W1 busy", "W1 idle", "Bow-2000", "GC2"}},
  };
  return table;
}

void markFits(calibration::Rows &rows) {
  for (const auto &fit : fits())
    for (const auto &id : fit.ids) {
      auto row = std::find_if(rows.begin(), rows.end(), [&](auto &r) { return r.id == id; });
      OPENIPU_CHECK(row != rows.end(), base::str("no calibration row ", id));
      row->sets = fit.constant;
    }
}

} // namespace

std::vector<CalibrationRow> calibrationRows() {
  calibration::Rows rows;
  calibration::addComputeRows(rows);
  calibration::addExchangeRows(rows);
  calibration::addStencilRows(rows);
  calibration::addOutsideRows(rows);
  markFits(rows);
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
    if (section == "all" || row.section == section ||
        (section == "independent" && row.sets.empty())) {
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
  out.push_back(summaryOf("independent", rows));
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
        << row.note << (row.sets.empty() ? "" : " [" + row.sets + "]") << "\n";
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
        << ", \"ratio\": " << row.ratio() << ", \"sets\": " << quoted(row.sets)
        << ", \"note\": " << quoted(row.note) << "}";
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
