// SPDX-License-Identifier: MIT
// PopTorch beside plain torch and PopART. poptorch_bench.py measures, in Python as users do; its
// rows come here one by one, as do those of every front end's script.
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

std::vector<Row> scriptRows(const std::string &name, const std::string &file,
                            const std::string &needs) {
  const std::string folder = OPENIPU_BENCH_FILES, packages = OPENIPU_BENCH_PYTHON;
  std::filesystem::create_directories(folder);
  const auto log = folder + "/" + file + ".log";
  PeerProcess script(name, {OPENIPU_PYTHON, OPENIPU_BENCH "/" + file, packages, folder}, log);
  if (!script.ready()) {
    std::fprintf(stderr, "  %s is left out: it needs the packages of %s%s; messages are in %s\n",
                 name.c_str(), packages.c_str(), needs.c_str(), log.c_str());
    return {};
  }
  std::vector<Row> rows;
  for (std::string line; (line = script.ask("next")) != "end";) {
    rows.push_back(rowFrom(line));
    std::fprintf(stderr, "  %s\n", rows.back().what.c_str());
  }
  return rows;
}

std::vector<Row> poptorch() {
  return scriptRows("PopTorch", "poptorch_bench.py", ", torch and torchvision");
}

} // namespace bench
