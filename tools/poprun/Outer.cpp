// SPDX-License-Identifier: MIT
#include "Outer.hpp"
#include "base/Environment.hpp"
#include <cstdlib>

namespace poprun {
namespace {

std::string textOf(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

unsigned numberOf(const char *name, unsigned otherwise) {
  return unsigned(base::numberFromEnvironment(name, otherwise, 0, 1u << 20));
}

} // namespace

std::vector<std::string> slurmHosts() {
  if (textOf("SLURM_JOB_ID").empty())
    return {};
  auto names = textOf("SLURM_JOB_NODELIST");
  if (names.empty())
    names = textOf("SLURM_NODELIST");
  return names.empty() ? std::vector<std::string>() : expandHosts(names);
}

std::optional<Rank> outerRank() {
  if (!textOf("OMPI_COMM_WORLD_SIZE").empty())
    return Rank{"mpirun", numberOf("OMPI_COMM_WORLD_RANK", 0), numberOf("OMPI_COMM_WORLD_SIZE", 1),
                numberOf("OMPI_COMM_WORLD_LOCAL_RANK", 0)};
  // Of a step: the script of sbatch has the job's numbers, but no step's.
  if (!textOf("SLURM_STEP_NUM_TASKS").empty() && numberOf("SLURM_STEP_NUM_TASKS", 1) > 1)
    return Rank{"srun", numberOf("SLURM_PROCID", 0), numberOf("SLURM_STEP_NUM_TASKS", 1),
                numberOf("SLURM_LOCALID", 0)};
  return {};
}

void nameRank(const Rank &rank) {
  ::setenv("OMPI_COMM_WORLD_RANK", std::to_string(rank.rank).c_str(), 1);
  ::setenv("OMPI_COMM_WORLD_SIZE", std::to_string(rank.size).c_str(), 1);
  ::setenv("OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(rank.local).c_str(), 1);
}

} // namespace poprun
