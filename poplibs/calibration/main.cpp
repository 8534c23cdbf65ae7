// SPDX-License-Identifier: MIT
// openipu-calibration-operators: plans of operators beside published measurements. `!` marks rows
// more than 30 % off; docs/timing.md explains them.
#include "OperatorRows.hpp"
#include <iostream>
#include <string_view>

int main(int argc, char **argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (argc > 2 || (!option.empty() && option != "--json")) {
    const bool help = argc == 2 && (option == "--help" || option == "-h");
    (help ? std::cout : std::cerr) << "usage: openipu-calibration-operators [--json]\n"
                                      "Prints model and published value of every row, their ratio, "
                                      "and per section the geometric mean and the worst.\n";
    return help ? 0 : 2;
  }
  const auto rows = calibration::operatorRows();
  std::cout << (option == "--json" ? arch::calibrationJson(rows) : arch::calibrationTable(rows));
}
