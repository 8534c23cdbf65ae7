// SPDX-License-Identifier: MIT
// The call of mpirun: one section for every instance, each with an environment of its own.
#pragma once
#include "Plan.hpp"

namespace poprun {

struct Surroundings {
  bool fixedPartition = false;
  unsigned gcds = 1;
};

// mpirun with what holds for all instances.
std::vector<std::string> mpirunWords(const Options &options, bool isRemote);
// What an instance finds in its environment.
std::vector<std::pair<std::string, std::string>> environmentOf(const Options &options,
                                                               const Plan &plan,
                                                               const Instance &instance,
                                                               const Surroundings &around);
std::vector<std::string> commandOf(const Options &options, const Plan &plan,
                                   const Surroundings &around);
std::string asText(const std::vector<std::string> &command); // for a shell

} // namespace poprun
