// SPDX-License-Identifier: MIT
// The folder rules/ is the registry of optimisers that are data: lion.cpp defines `OptimizerRule
// lionRule()`, and the build writes the table of all.
#pragma once
#include <popart/ruleoptimizer.hpp>

namespace popart::optimizer {
std::vector<OptimizerRule> rulesOfThisFolder();
}
