// SPDX-License-Identifier: MIT
// Runs one fuzz target without libFuzzer: every file of its corpus, its valid inputs, and mutations
// of them that are the same in every run (truncations, flipped bits, spliced and overwritten
// stretches).
//
//   fuzz_corpus_chip FOLDER MUTATIONS     test; an input that ends it is left in ./fuzz-finding
//   fuzz_corpus_chip FOLDER --write       renew the valid-* files of the folder after a change of
//   format
#include "Fuzz.hpp"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

std::string current; // the input under test, for save()

// Called from a signal handler too: only system calls.
void save() {
  int file = ::open("fuzz-finding", O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file >= 0 && ::write(file, current.data(), current.size()) >= 0)
    ::close(file);
}

void onSignal(int number) {
  save();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

bool feed(std::string input) {
  current = std::move(input);
  return fuzz::accepts(current);
}

// All lengths of a short input, evenly spread ones of a long input.
std::size_t truncations(const std::string &seed, std::size_t most) {
  auto step = seed.size() / most + 1;
  std::size_t count = 0;
  for (std::size_t size = 0; size < seed.size(); size += step, ++count)
    feed(seed.substr(0, size));
  return count;
}

class Mutator {
public:
  explicit Mutator(const std::vector<std::string> &seeds) : seeds_(seeds) {}

  std::string next() {
    auto bytes = pick();
    for (auto left = 1 + below(4); left-- > 0;)
      change(bytes);
    return bytes;
  }

private:
  std::size_t below(std::size_t n) { return n ? random_() % n : 0; }
  const std::string &pick() { return seeds_[below(seeds_.size())]; }

  void change(std::string &bytes) {
    static constexpr unsigned char edges[] = {0, 1, 0x7f, 0x80, 0xff};
    auto at = below(bytes.size());
    if (bytes.empty())
      return void(bytes = pick());
    switch (below(6)) {
    case 0:
      bytes[at] ^= static_cast<char>(1 << below(8));
      return;
    case 1:
      bytes[at] = static_cast<char>(random_());
      return;
    case 2:
      bytes.replace(at, std::min<std::size_t>(bytes.size() - at, 1 + below(8)), 1 + below(8),
                    static_cast<char>(edges[below(5)]));
      return;
    case 3:
      bytes.erase(at, 1 + below(64));
      return;
    case 4:
      bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(64)));
      return;
    default: {
      const auto &other = pick();
      bytes = bytes.substr(0, at) + other.substr(below(other.size()));
    }
    }
  }

  const std::vector<std::string> &seeds_;
  std::mt19937_64 random_{20230817}; // any fixed number
};

std::string contents(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> files(const fs::path &folder) {
  std::vector<fs::path> out;
  if (fs::is_directory(folder))
    for (const auto &entry : fs::directory_iterator(folder))
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

void writeValid(const fs::path &folder) {
  fs::create_directories(folder);
  int number = 0;
  for (const auto &bytes : fuzz::validInputs())
    std::ofstream(folder / ("valid-" + std::to_string(number++)), std::ios::binary) << bytes;
}

int run(const fs::path &folder, std::size_t mutations) {
  auto seeds = fuzz::validInputs();
  for (std::size_t i = 0; i < seeds.size(); ++i)
    if (!feed(seeds[i])) {
      std::cerr << "valid input " << i << " is refused\n";
      return 1;
    }
  for (const auto &path : files(folder)) {
    seeds.push_back(contents(path));
    if (feed(seeds.back()) || path.filename().string().rfind("valid-", 0) != 0)
      continue;
    std::cerr << path << " is refused. If the format has changed, renew it with --write.\n";
    return 1;
  }
  std::size_t tried = seeds.size(), accepted = 0;
  for (const auto &seed : seeds)
    tried += truncations(seed, std::max<std::size_t>(1, mutations / seeds.size()));
  Mutator mutator(seeds);
  for (std::size_t i = 0; i < mutations; ++i)
    accepted += feed(mutator.next());
  std::cout << tried + mutations << " inputs, " << accepted << " mutations accepted\n";
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " FOLDER MUTATIONS | FOLDER --write\n";
    return 2;
  }
  if (std::strcmp(argv[2], "--write") == 0)
    return writeValid(argv[1]), 0;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    std::signal(number, onSignal);
  try {
    return run(argv[1], std::strtoull(argv[2], nullptr, 10));
  } catch (const std::exception &error) {
    save();
    std::cerr << "unexpected exception: " << error.what() << "\nThe input is in ./fuzz-finding.\n";
    return 1;
  }
}
