// SPDX-License-Identifier: MIT
// openipu-bench [SUBJECT...]: measures the named subjects, or all, and prints one table.
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "Subjects.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

using namespace bench;

static int child(int argc, char **argv) {
  if (argc == 4 && !std::strcmp(argv[2], "graphs"))
    graphsChild(std::stoul(argv[3]));
  else if (argc == 4 && !std::strcmp(argv[2], "codelets"))
    codeletsChild(argv[3]);
  else if (argc == 5 && !std::strcmp(argv[2], "compile"))
    compileChild(argv[3], argv[4]);
  else if (argc == 5 && !std::strcmp(argv[2], "memory"))
    memoryChild();
  else if (argc == 5 && !std::strcmp(argv[2], "record"))
    recordChild(argv[3], std::stoi(argv[4]));
  else if (argc == 3 && !std::strcmp(argv[2], "scaling"))
    scalingChild();
  else if (argc > 3 && !std::strcmp(argv[2], "machine"))
    machineChild({argv + 3, argv + argc});
  else
    return 2;
  return 0;
}

// Parts of a subject, which have names of their own but are not measured twice, and what takes
// long.
static std::vector<Subject> parts() {
  return {{"training", trainedModels},
          {"inference", inferredModels},
          {"compile", compileModels},
          {"memory", modelMemory},
          {"scaling", scaling}};
}

static std::vector<Subject> chosen(int argc, char **argv) {
  if (argc == 1)
    return subjects();
  std::vector<Subject> out;
  auto known = subjects();
  for (const auto &part : parts())
    known.push_back(part);
  std::vector<std::string> names;
  for (const auto &subject : known)
    names.push_back(subject.name);
  for (int i = 1; i < argc; ++i) {
    const auto before = out.size();
    for (const auto &subject : known)
      if (subject.name == argv[i])
        out.push_back(subject);
    if (out.size() == before)
      throw std::runtime_error(base::str("Unknown subject \"", argv[i], "\".",
                                         base::didYouMean(argv[i], names), " There are ",
                                         base::list(names, ", "), "."));
  }
  return out;
}

int main(int argc, char **argv) {
  try {
    if (argc > 2 && !std::strcmp(argv[1], "--child"))
      return child(argc, argv);
    std::vector<Row> rows;
    double load = 0;
    getloadavg(&load, 1);
    for (const auto &subject : chosen(argc, argv)) {
      std::fprintf(stderr, "measuring %s ...\n", subject.name.c_str());
      for (auto &row : subject.measure())
        rows.push_back(row);
    }
    std::printf(
        "\n%u threads, load %.1f before; medians; a ratio is ours against the peer, larger is "
        "better.\n\n",
        base::numThreads(), load);
    print(rows);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "openipu-bench: %s\n", error.what());
    return 1;
  }
}
