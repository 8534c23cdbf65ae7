// SPDX-License-Identifier: MIT
#include "Report.hpp"
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <numeric>
#include <sstream>

namespace calibration {

static const std::string wholeModels = "whole models";

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

namespace {

bool counts(const Measured &m, const std::string &kind) {
  return m.row.role == Role::Evidence &&
         (kind == "all" || m.row.kind == kind ||
          (kind == wholeModels && m.row.kind.rfind("models: ", 0) == 0));
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

// Sums over points (x, y), of which it tells how far they lie on one line.
struct Line {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  void add(double a, double b) { n += 1, x += a, y += b, xx += a * a, yy += b * b, xy += a * b; }
  // What is left when the points' mean is taken from each.
  Line centred() const { return {n, 0, 0, xx - x * x / n, yy - y * y / n, xy - x * y / n}; }
  Line &operator+=(const Line &other) {
    n += other.n, xx += other.xx, yy += other.yy, xy += other.xy;
    return *this;
  }
};

std::optional<double> correlation(const std::vector<const Measured *> &rows) {
  std::map<std::pair<std::string, Unit>, Line> groups;
  for (const auto *m : rows)
    groups[{m->row.kind, m->row.unit}].add(std::log(m->row.published), std::log(m->model.value));
  Line all;
  for (const auto &[group, line] : groups)
    all += line.centred();
  if (all.n < 3 || all.xx <= 0 || all.yy <= 0)
    return std::nullopt;
  return all.xy / std::sqrt(all.xx * all.yy);
}

Summary summaryOf(const std::string &kind, const std::vector<Measured> &rows) {
  Summary summary;
  summary.kind = kind;
  std::vector<const Measured *> counted;
  std::vector<double> errors;
  double logs = 0;
  for (const auto &m : rows) {
    if (!counts(m, kind))
      continue;
    counted.push_back(&m);
    errors.push_back(std::abs(m.ratio - 1));
    logs += std::log(m.ratio);
    if (summary.worstId.empty() ||
        std::abs(std::log(m.ratio)) > std::abs(std::log(summary.worst))) {
      summary.worst = m.ratio;
      summary.worstId = m.row.id;
    }
  }
  summary.rows = unsigned(counted.size());
  if (counted.empty())
    return summary;
  summary.geometricMean = std::exp(logs / double(counted.size()));
  summary.meanError = std::accumulate(errors.begin(), errors.end(), 0.0) / double(errors.size());
  summary.medianError = median(errors);
  summary.correlation = correlation(counted);
  return summary;
}

} // namespace

std::vector<Summary> summarise(const std::vector<Measured> &rows) {
  std::vector<Summary> out;
  for (const auto &m : rows)
    if (std::none_of(out.begin(), out.end(), [&](auto &s) { return s.kind == m.row.kind; }))
      out.push_back(summaryOf(m.row.kind, rows));
  if (auto models = summaryOf(wholeModels, rows); models.rows)
    out.push_back(models);
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

std::string percent(double error) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << 100 * error << " %";
  return out.str();
}

std::string threeDigits(double value) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << value;
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
  out << "\nerrors                    rows    mean  median  worst ratio  correlation  geometric "
         "mean\n";
  for (const auto &s : summarise(rows)) {
    out << "  " << std::left << std::setw(24) << s.kind << std::right << std::setw(4) << s.rows;
    if (s.rows)
      out << std::setw(8) << percent(s.meanError) << std::setw(8) << percent(s.medianError)
          << std::setw(13) << ratioText(s.worst) << std::setw(13)
          << (s.correlation ? threeDigits(*s.correlation) : "-") << std::setw(16)
          << ratioText(s.geometricMean) << "  " << s.worstId;
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
        << ", \"meanError\": " << s.meanError << ", \"medianError\": " << s.medianError
        << ", \"worst\": " << s.worst << ", \"worstId\": " << quoted(s.worstId)
        << ", \"correlation\": " << (s.correlation ? threeDigits(*s.correlation) : "null")
        << ", \"geometricMean\": " << s.geometricMean << "}";
    next = ",\n";
  }
  out << "\n]}\n";
  return out.str();
}

} // namespace calibration
