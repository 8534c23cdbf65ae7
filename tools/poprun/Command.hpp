// SPDX-License-Identifier: MIT
// The call of mpirun: one section for every instance, each with an environment of its own.
#pragma once
#include "Plan.hpp"

namespace poprun {

struct Surroundings {
  bool fixedPartition = false;
  unsigned gcds = 1;
};

std::vector<std::string> commandOf(const Options &options, const Plan &plan,
                                   const Surroundings &around);
std::string asText(const std::vector<std::string> &command); // for a shell

// Runs it to its end: its exit status. Signals that end poprun reach it. `only`: what other
// instances print is left out.
int runCommand(const std::vector<std::string> &command, std::optional<unsigned> only);

} // namespace poprun
