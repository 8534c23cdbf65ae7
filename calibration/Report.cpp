// SPDX-License-Identifier: MIT
#include "Report.hpp"
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace calibration {

bool isRate(Unit unit) {
  return unit == Unit::GigabytesPerSecond || unit == Unit::GigabitsPerSecond ||
         unit == Unit::Teraflops || unit == Unit::PerSecond || unit == Unit::TimesFaster;
}

const char *toString(Unit unit) {
  static const char *names[] = {"cycles", "ms", "GB/s", "Gbit/s", "TFLOP/s", "/s",
                                "x",      "W",  "MiB",  "B",      "tile"};
  return names[unsigned(unit)];
}

Measured measuredAs(const Row &row, Figure model) {
  const auto ratio = model.value / row.published;
  return {row, std::move(model), isRate(row.unit) ? 1 / ratio : ratio};
}

Measured measure(const Row &row) { return measuredAs(row, row.model()); }

static Summary summaryOf(const std::string &kind, const std::vector<Measured> &rows) {
  Summary summary;
  summary.kind = kind;
  double logs = 0;
  for (const auto &m : rows) {
    if (m.row.role != Role::Evidence || (kind != "all" && m.row.kind != kind))
      continue;
    ++summary.rows;
    logs += std::log(m.ratio);
    if (summary.worstId.empty() ||
        std::abs(std::log(m.ratio)) > std::abs(std::log(summary.worst))) {
      summary.worst = m.ratio;
      summary.worstId = m.row.id;
    }
  }
  summary.geometricMean = std::exp(logs / std::max(1u, summary.rows));
  return summary;
}

std::vector<Summary> summarise(const std::vector<Measured> &rows) {
  std::vector<Summary> out;
  for (const auto &m : rows)
    if (std::none_of(out.begin(), out.end(), [&](auto &s) { return s.kind == m.row.kind; }))
      out.push_back(summaryOf(m.row.kind, rows));
  out.push_back(summaryOf("all", rows));
  return out;
}

namespace {

std::string number(double value) {
  std::ostringstream out;
  if (value >= 10000)
    out << std::fixed << std::setprecision(0) << value;
  else
    out << std::setprecision(4) << value;
  return out.str();
}

std::string ratioText(double value) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << value;
  return out.str();
}

bool isFar(const Measured &m) {
  return m.ratio > 1.3 || (m.ratio < 1 / 1.3 && m.row.role != Role::Fits);
}

std::string remark(const Measured &m) {
  const auto &sets = m.row.sets;
  const auto role = m.row.role == Role::Sets          ? " [sets " + sets + "]"
                    : m.row.role == Role::FormulaOnly ? " [formula: " + sets + "]"
                    : m.row.role == Role::Fits        ? " [at most]"
                                                      : "";
  return m.model.note + role;
}

// Rows of a kind stand together, kinds in order of first appearance.
std::vector<Measured> byKind(const std::vector<Measured> &rows) {
  std::vector<Measured> out;
  for (const auto &s : summarise(rows))
    for (const auto &m : rows)
      if (m.row.kind == s.kind)
        out.push_back(m);
  return out;
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

const char *toString(Role role) {
  return role == Role::Evidence ? "evidence"
         : role == Role::Sets   ? "sets constant"
         : role == Role::Fits   ? "fits"
                                : "formula only";
}

} // namespace

std::string toText(const std::vector<Measured> &rows) {
  std::ostringstream out;
  std::string kind;
  for (const auto &m : byKind(rows)) {
    if (m.row.kind != kind)
      out << "\n" << (kind = m.row.kind) << "\n";
    out << "  " << std::left << std::setw(16) << m.row.id << std::setw(50) << m.row.what
        << std::right << std::setw(9) << number(m.row.published) << std::setw(9)
        << number(m.model.value) << " " << std::left << std::setw(8)
        << calibration::toString(m.row.unit) << std::right << std::setw(5) << ratioText(m.ratio)
        << (isFar(m) ? " !" : "  ") << " " << remark(m) << "\n";
  }
  out << "\nmodel / published         rows  geometric mean  worst\n";
  for (const auto &s : summarise(rows)) {
    out << "  " << std::left << std::setw(24) << s.kind << std::right << std::setw(4) << s.rows;
    if (s.rows)
      out << std::setw(12) << ratioText(s.geometricMean) << std::setw(11) << ratioText(s.worst)
          << "  " << s.worstId;
    out << "\n";
  }
  return out.str().substr(1);
}

std::string toMarkdown(const std::vector<Measured> &rows) {
  return "```\n" + toText(rows) + "```\n";
}

std::string toJson(const std::vector<Measured> &rows) {
  std::ostringstream out;
  out << std::setprecision(10) << "{\"rows\": [";
  const char *next = "\n";
  for (const auto &m : byKind(rows)) {
    out << next << "  {\"id\": " << quoted(m.row.id) << ", \"kind\": " << quoted(m.row.kind)
        << ", \"what\": " << quoted(m.row.what) << ", \"published\": " << m.row.published
        << ", \"model\": " << m.model.value
        << ", \"unit\": " << quoted(calibration::toString(m.row.unit)) << ", \"ratio\": " << m.ratio
        << ", \"source\": " << quoted(m.row.source)
        << ", \"role\": " << quoted(toString(m.row.role)) << ", \"sets\": " << quoted(m.row.sets)
        << ", \"note\": " << quoted(m.model.note) << "}";
    next = ",\n";
  }
  out << "\n], \"summary\": [";
  next = "\n";
  for (const auto &s : summarise(rows)) {
    out << next << "  {\"kind\": " << quoted(s.kind) << ", \"rows\": " << s.rows
        << ", \"geometricMean\": " << s.geometricMean << ", \"worst\": " << s.worst
        << ", \"worstId\": " << quoted(s.worstId) << "}";
    next = ",\n";
  }
  out << "\n]}\n";
  return out.str();
}

} // namespace calibration
