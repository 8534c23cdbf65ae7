// SPDX-License-Identifier: MIT
// onnx-node-cases FOLDER [--at-least N] [--only TEXT] [--verbose]: runs the node cases that
// generate.py wrote and says what passed, failed and is not supported, by operator, and how many of
// those that passed ran on the simulated IPU. Fails when a case gives wrong numbers or an unclear
// error, or when fewer than N pass.
#include "cases.hpp"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <thread>

using namespace cases;
namespace fs = std::filesystem;

namespace {

struct Arguments {
  fs::path folder;
  std::size_t atLeast = 0;
  std::string only;
  bool verbose = false;
};

struct Entry {
  std::string op, name;
  Result result;
};

bool parse(int argc, char **argv, Arguments &out) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--verbose")
      out.verbose = true;
    else if (word == "--at-least" && i + 1 < argc)
      out.atLeast = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--only" && i + 1 < argc)
      out.only = argv[++i];
    else if (out.folder.empty() && word[0] != '-')
      out.folder = word;
    else
      return false;
  }
  return fs::is_directory(out.folder);
}

std::vector<fs::path> folders(const Arguments &arguments) {
  std::vector<fs::path> out;
  for (const auto &entry : fs::directory_iterator(arguments.folder))
    if (entry.is_directory() &&
        entry.path().filename().string().find(arguments.only) != std::string::npos)
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Entry> runAll(const std::vector<fs::path> &paths) {
  std::vector<Entry> entries(paths.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) {
      const Case c = load(paths[i]);
      entries[i] = {c.op, c.name, run(c)};
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(work);
  work();
  for (auto &thread : threads)
    thread.join();
  return entries;
}

void print(const Entry &entry, const char *word) {
  std::cout << word << ' ' << entry.op << ' ' << entry.name;
  if (entry.result.folded)
    std::cout << " (folded)";
  if (!entry.result.constants.empty()) {
    std::cout << " (constant:";
    for (const auto &name : entry.result.constants)
      std::cout << ' ' << name;
    std::cout << ')';
  }
  std::cout << (entry.result.message.empty() ? "" : ": ") << entry.result.message << '\n';
}

void printTable(const std::vector<Entry> &entries) {
  std::map<std::string, std::array<unsigned, 3>> table;
  for (const auto &entry : entries)
    ++table[entry.op][static_cast<std::size_t>(entry.result.outcome)];
  std::cout << "operator: passed failed unsupported\n";
  for (const auto &[op, counts] : table)
    std::cout << op << ": " << counts[0] << ' ' << counts[1] << ' ' << counts[2] << '\n';
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::cerr << "usage: onnx-node-cases FOLDER [--at-least N] [--only TEXT] [--verbose]\n";
    return 2;
  }
  const auto entries = runAll(folders(arguments));
  static constexpr const char *words[] = {"passed", "FAILED", "unsupported"};
  std::array<std::size_t, 3> totals{};
  std::size_t folded = 0;
  for (const auto &entry : entries) {
    const auto kind = static_cast<std::size_t>(entry.result.outcome);
    ++totals[kind];
    folded += kind == 0 && entry.result.folded;
    if (kind != 0 || arguments.verbose || !entry.result.constants.empty())
      print(entry, words[kind]);
  }
  printTable(entries);
  std::cout << entries.size() << " cases: " << totals[0] << " passed (" << totals[0] - folded
            << " ran, " << folded << " were folded at import), " << totals[1] << " failed, "
            << totals[2] << " unsupported\n";
  if (totals[0] < arguments.atLeast)
    std::cout << "At least " << arguments.atLeast << " must pass.\n";
  return totals[1] || totals[0] < arguments.atLeast ? 1 : 0;
}
