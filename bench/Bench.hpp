// SPDX-License-Identifier: MIT
// What the measurements share: rows of the table, medians, a device to run on, and child processes
// for what must start afresh (peak memory, cold caches). One file per subject; Subjects.hpp lists
// them.
#pragma once
#include "base/NewFile.hpp"
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <poplar/Device.hpp>
#include <string>
#include <vector>

namespace bench {

// One line of the table. `ratio` is ours against the peer, larger is better; 0 leaves it out.
struct Row {
  std::string what, ours, peer;
  double ratio = 0;
  std::string goal;
  enum class Met { Yes, No, NoGoal } met = Met::NoGoal;
  double seconds = 0; // of our step, where that is what was measured
};

Row::Met met(bool yes);
void print(const std::vector<Row> &rows);

// Seconds of one call; the median of `repeats` calls after one that is thrown away.
double seconds(const std::function<void()> &work);
double medianSeconds(unsigned repeats, const std::function<void()> &work);

// Both medians, with the calls taking turns: on a shared machine the speed of memory changes from
// second to second, and a ratio means something only if both sides met the same moments.
struct Pair {
  double ours, peer;
};
Pair medianPair(unsigned repeats, const std::function<void()> &ours,
                const std::function<void()> &peer);

// A folder of our own among the machine's temporary ones, gone at the end.
struct TemporaryFolder : base::TemporaryFolder {
  std::filesystem::path root = path();
};

// 1.25e-7 -> "125 ns"
std::string duration(double seconds);
std::string rate(double bytes, double seconds); // "12.3 GB/s"
std::string fixed(double value, unsigned digits);

poplar::Device attachIpu();

// Splits [0, n) evenly over as many threads as the engine uses, kept waiting the way the engine's
// are, so that a peer pays neither more nor less for them.
void onThreads(std::size_t n, const std::function<void(std::size_t, std::size_t)> &work);

struct ChildResult {
  std::vector<double> numbers; // that it printed
  double peakBytes;
};
// Runs a program to its end, with `input` to read; nothing if it fails.
std::optional<ChildResult> runProgram(const std::string &program,
                                      const std::vector<std::string> &arguments,
                                      const std::vector<std::string> &environment,
                                      const std::string &input);
// Runs this program again as `--child ARGUMENTS...`. Throws if it fails.
ChildResult runChild(const std::vector<std::string> &arguments,
                     const std::vector<std::string> &environment = {});

} // namespace bench
