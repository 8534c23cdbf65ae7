// SPDX-License-Identifier: MIT
// Before anything long runs: is there an mpirun, may it run, is the program there, and does every
// host answer? machine::Error names what does not.
#pragma once
#include "Plan.hpp"

namespace poprun {

void checkLaunch(const Options &options, const Plan &plan);

// On a host: says whether the program is there.
bool isProbeCall(int argc, char **argv);
int probe(int argc, char **argv);

} // namespace poprun
