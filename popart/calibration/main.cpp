// SPDX-License-Identifier: MIT
// openipu-calibration-models: whole models beside published throughput. docs/timing.md explains the
// rows and their configurations.
#include "modelrows.hpp"
#include <iostream>
#include <string_view>

namespace {
int usage(bool asked) {
  (asked ? std::cout : std::cerr)
      << "usage: openipu-calibration-models [--json | --profile] [ROW]\n"
         "Prints modelled and published samples per second of every row (or of ROW: M9, or \"M9 "
         "Pod16\"), their ratio, and per section the geometric mean and "
         "the worst. --profile tells where the cycles of each row go.\n";
  return asked ? 0 : 2;
}
} // namespace

int main(int argc, char **argv) {
  std::string option, id;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h")
      return usage(true);
    auto &to = argument.rfind("--", 0) == 0 ? option : id;
    if (!to.empty())
      return usage(false);
    to = argument;
  }
  if (!option.empty() && option != "--json" && option != "--profile")
    return usage(false);
  const auto rows = calibration::modelRows(id);
  if (rows.empty()) {
    std::cerr << "No row is called \"" << id << "\".\n";
    return 2;
  }
  std::vector<arch::CalibrationRow> table;
  for (const auto &row : rows) {
    const auto measured = calibration::measure(row);
    table.push_back(measured.row);
    if (option != "--json")
      std::cerr << measured.row.id << ": " << measured.row.ratio() << "\n";
    if (option == "--profile")
      std::cout << measured.row.id << ": " << calibration::profileOf(measured.step) << "\n";
  }
  std::cout << (option == "--json" ? arch::calibrationJson(table) : arch::calibrationTable(table));
}
