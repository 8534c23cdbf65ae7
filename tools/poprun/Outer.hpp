// SPDX-License-Identifier: MIT
// poprun inside of what starts processes by itself: the hosts of a Slurm allocation, and ranks of
// mpirun or srun that each call poprun, which then only prepares that rank.
#pragma once
#include "Plan.hpp"

namespace poprun {

// The nodes that sbatch or salloc gave, if poprun runs within; empty elsewhere.
std::vector<std::string> slurmHosts();

struct Rank {
  std::string launcher; // mpirun or srun
  unsigned rank = 0, size = 1, local = 0;
};
// This process is one of several that mpirun or srun has started; nothing if it is not.
std::optional<Rank> outerRank();

// Ranks of srun have names of their own for what popdist reads.
void nameRank(const Rank &rank);

} // namespace poprun
