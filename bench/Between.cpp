// SPDX-License-Identifier: MIT
// Collectives between two processes on this machine, beside Open MPI's own: between/between.cpp
// measures, started by mpirun. And how long eight instances take to start beside one
// (between/start.py, by poprun).
#include "Subjects.hpp"
#include <cstdlib>
#include <filesystem>

namespace bench {
namespace {

namespace fs = std::filesystem;

fs::path programs() { return fs::read_symlink("/proc/self/exe").parent_path(); }

// Seconds until a session of all instances could begin; 0: it failed.
double startOf(unsigned instances, const char *layers) {
  const TemporaryFolder runtime;
  bool done = true;
  const auto taken = seconds([&] {
    done = bool(runProgram(programs() / "poprun",
                           {"poprun", "--allow-run-as-root", "--num-replicas", "8",
                            "--num-instances", std::to_string(instances), OPENIPU_PYTHON,
                            OPENIPU_BENCH "/between/start.py", layers},
                           {"OPENIPU_RUNTIME_DIR=" + runtime.root.string(), "OPENIPU_NUM_IPUS=8",
                            "PYTHONPATH=" OPENIPU_BENCH_PYTHON},
                           ""));
  });
  return done ? taken : 0;
}

Row start(const char *what, const char *layers) {
  const double one = startOf(1, layers), eight = startOf(8, layers);
  if (one == 0 || eight == 0)
    return {std::string(what) + ": poprun failed", "-", "-", 0, ""};
  return {what, duration(eight), duration(one), one / eight, "0.67", met(eight <= 1.5 * one)};
}

} // namespace

std::vector<Row> between() {
  const auto program = programs() / "openipu-between";
  const std::string mpirun = "/usr/bin/mpirun";
  if (!fs::exists(program) || !fs::exists(mpirun))
    return {{"between processes: no Open MPI here", "-", "-", 0, ""}};
  const auto measured = runProgram(mpirun,
                                   {"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to",
                                    "none", "-np", "2", program.string()},
                                   {"OPENIPU_NUM_THREADS=1"}, "");
  if (!measured || measured->numbers.size() != 5)
    return {{"between processes: openipu-between failed", "-", "-", 0, ""}};
  const auto &n = measured->numbers;
  const double ratio = n[1] / n[0];
  constexpr double usual = 30e-6; // of a small collective
  return {{"all-reduce of 100 MB, 2 processes, beside MPI_Allreduce", duration(n[0]),
           duration(n[1]), ratio, "0.90", met(ratio >= 0.9)},
          {"collective of one number, 2 processes", duration(n[4]), duration(usual), usual / n[4],
           "1.00", met(n[4] <= usual)},
          start("start of 8 instances beside one, 400 convolutions", "400")};
}

} // namespace bench
