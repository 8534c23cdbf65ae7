// SPDX-License-Identifier: MIT
#include "Outer.hpp"
#include "base/Environment.hpp"
#include <cstdlib>

namespace poprun {

using base::numberFromEnvironment;
using base::textFromEnvironment;

namespace {

constexpr unsigned mostRanks = 1u << 20;

} // namespace

std::vector<std::string> slurmHosts() {
  if (textFromEnvironment("SLURM_JOB_ID").empty())
    return {};
  auto names = textFromEnvironment("SLURM_JOB_NODELIST");
  if (names.empty())
    names = textFromEnvironment("SLURM_NODELIST");
  return names.empty() ? std::vector<std::string>() : expandHosts(names);
}

std::optional<Rank> outerRank() {
  if (!textFromEnvironment("OMPI_COMM_WORLD_SIZE").empty())
    return Rank{"mpirun", unsigned(numberFromEnvironment("OMPI_COMM_WORLD_RANK", 0, 0, mostRanks)),
                unsigned(numberFromEnvironment("OMPI_COMM_WORLD_SIZE", 1, 0, mostRanks)),
                unsigned(numberFromEnvironment("OMPI_COMM_WORLD_LOCAL_RANK", 0, 0, mostRanks))};
  // Of a step: the script of sbatch has the job's numbers, but no step's.
  if (!textFromEnvironment("SLURM_STEP_NUM_TASKS").empty() &&
      unsigned(numberFromEnvironment("SLURM_STEP_NUM_TASKS", 1, 0, mostRanks)) > 1)
    return Rank{"srun", unsigned(numberFromEnvironment("SLURM_PROCID", 0, 0, mostRanks)),
                unsigned(numberFromEnvironment("SLURM_STEP_NUM_TASKS", 1, 0, mostRanks)),
                unsigned(numberFromEnvironment("SLURM_LOCALID", 0, 0, mostRanks))};
  return {};
}

void nameRank(const Rank &rank) {
  ::setenv("OMPI_COMM_WORLD_RANK", std::to_string(rank.rank).c_str(), 1);
  ::setenv("OMPI_COMM_WORLD_SIZE", std::to_string(rank.size).c_str(), 1);
  ::setenv("OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(rank.local).c_str(), 1);
}

} // namespace poprun
