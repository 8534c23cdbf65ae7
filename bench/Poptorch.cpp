// SPDX-License-Identifier: MIT
// PopTorch beside plain torch and PopART. poptorch_bench.py measures, in Python as users do; its
// rows come here one by one.
#include "PeerProcess.hpp"
#include "Subjects.hpp"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace bench {

static Row rowFrom(const std::string &line) {
  std::vector<std::string> columns;
  std::istringstream in(line);
  for (std::string column; std::getline(in, column, '\t');)
    columns.push_back(column);
  columns.resize(6);
  return {columns[0], columns[1],
          columns[2], std::strtod(columns[3].c_str(), nullptr),
          columns[4], met(columns[5] == "yes")};
}

std::vector<Row> poptorch() {
  const std::string folder = OPENIPU_BENCH_FILES, packages = OPENIPU_BENCH_PYTHON;
  std::filesystem::create_directories(folder);
  const auto log = folder + "/poptorch.log";
  PeerProcess script(
      "PopTorch", {"/usr/bin/python3", OPENIPU_BENCH "/poptorch_bench.py", packages, folder}, log);
  if (!script.ready()) {
    std::fprintf(stderr, "  PopTorch is left out: it needs the packages of %s, torch and torchvision; "
                         "messages are in %s\n",
                 packages.c_str(), log.c_str());
    return {};
  }
  std::vector<Row> rows;
  for (std::string line; (line = script.ask("next")) != "end";) {
    rows.push_back(rowFrom(line));
    std::fprintf(stderr, "  %s\n", rows.back().what.c_str());
  }
  return rows;
}

} // namespace bench
