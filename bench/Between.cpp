// SPDX-License-Identifier: MIT
// Collectives between two processes on this machine, beside Open MPI's own: between/between.cpp
// measures, started by mpirun.
#include "Subjects.hpp"
#include <cstdlib>
#include <filesystem>

namespace bench {

std::vector<Row> between() {
  const auto program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "openipu-between";
  const std::string mpirun = "/usr/bin/mpirun";
  if (!std::filesystem::exists(program) || !std::filesystem::exists(mpirun))
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
  return {
      {"all-reduce of 100 MB, 2 processes, beside MPI_Allreduce", duration(n[0]), duration(n[1]),
       ratio, "0.90", met(ratio >= 0.9)},
      {"collective of one number, 2 processes", duration(n[4]), duration(usual), usual / n[4],
       "1.00", met(n[4] <= usual)}};
}

} // namespace bench
