// SPDX-License-Identifier: MIT
// openipu-calibration: programs run on the simulated machine beside published measurements of them.
// `!` marks rows more than 30 % off; docs/timing.md explains them.
#include "Report.hpp"
#include <algorithm>
#include <iostream>

namespace {

int usage(bool asked) {
  (asked ? std::cout : std::cerr)
      << "usage: openipu-calibration [--json | --markdown | --profile] [ROW | KIND]...\n"
         "Runs the program of every row (or of those named: \"B9\", \"B9 exchange\", \"links\") "
         "and "
         "prints its figure beside\nthe published one, their ratio (above 1: the model is slow), "
         "and per kind the geometric mean and the worst. --profile tells\nwhere the cycles of "
         "whole models go.\n";
  return asked ? 0 : 2;
}

bool matches(const calibration::Row &row, const std::string &name) {
  return row.id == name || row.kind == name || row.id.rfind(name + " ", 0) == 0;
}

} // namespace

int main(int argc, char **argv) {
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
  std::vector<calibration::Measured> measured;
  for (const auto &row : calibration::allRows())
    if (names.empty() || std::any_of(names.begin(), names.end(),
                                     [&](const auto &name) { return matches(row, name); })) {
      measured.push_back(calibration::measure(row));
      std::cerr << row.id << ": " << measured.back().ratio << "\n";
      if (format == "--profile" && !measured.back().model.profile.empty())
        std::cout << row.id << ": " << measured.back().model.profile << "\n";
    }
  if (measured.empty()) {
    std::cerr << "No row or kind has this name.\n";
    return 2;
  }
  std::cout << (format == "--json"       ? calibration::toJson(measured)
                : format == "--markdown" ? calibration::toMarkdown(measured)
                                         : calibration::toText(measured));
}
