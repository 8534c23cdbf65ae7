// SPDX-License-Identifier: MIT
// openipu-calibration: programs run on the simulated machine beside published measurements of them.
// `!` marks rows more than 30 % off; docs/timing.md explains them.
#include "Processes.hpp"
#include <algorithm>
#include <iostream>
#include <thread>

namespace {

int usage(bool asked) {
  (asked ? std::cout : std::cerr)
      << "usage: openipu-calibration [--json | --markdown | --profile] [ROW | KIND]...\n"
         "Runs the program of every row (or of those named: \"B9\", \"B9 exchange\", \"links\") "
         "and prints\nits figure beside the published one and their ratio (above 1: the model is "
         "slow). Per kind: the mean and median distance\nof ratios from 1, the worst ratio, how "
         "model and publication correlate, and the geometric mean. Rows that set a\nconstant of "
         "the model do not count there. --profile tells where the cycles of whole models go.\n";
  return asked ? 0 : 2;
}

bool matches(const calibration::Row &row, const std::string &name) {
  return row.id == name || row.kind == name || row.id.rfind(name + " ", 0) == 0;
}

int measureRows(int argc, char **argv) {
  std::string format;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h")
      return usage(true);
    if (argument.rfind("--", 0) != 0)
      names.push_back(argument);
    else if (format.empty() &&
             (argument == "--json" || argument == "--markdown" || argument == "--profile"))
      format = argument;
    else
      return usage(false);
  }
  auto rows = calibration::allRows();
  std::erase_if(rows, [&](const auto &row) {
    return !names.empty() && std::none_of(names.begin(), names.end(),
                                          [&](const auto &name) { return matches(row, name); });
  });
  if (rows.empty()) {
    std::cerr << "No row or kind has this name.\n";
    return 2;
  }
  const auto measured =
      calibration::measureAll(rows, std::thread::hardware_concurrency(), [](const auto &m) {
        std::cerr << m.row.id << ": " << m.ratio << "\n";
      });
  if (format == "--profile")
    for (const auto &m : measured)
      if (!m.model.profile.empty())
        std::cout << m.row.id << ": " << m.model.profile << "\n";
  std::cout << (format == "--json"       ? calibration::toJson(measured)
                : format == "--markdown" ? calibration::toMarkdown(measured)
                                         : calibration::toText(measured));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return measureRows(argc, argv);
  } catch (const std::exception &e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
