// SPDX-License-Identifier: MIT
// The C++ text appended to a codelet source: one entry per vertex type, which calls compute()
// directly, and the table through which the loader finds the entries.
#pragma once
#include "codelet/Dwarf.hpp"
#include <string>
#include <vector>

namespace poplar::codelet {

std::string fastGlue(const std::vector<DiscoveredType> &types,
                     unsigned numWorkers); // also for checked images
std::string countedGlue(const std::vector<DiscoveredType> &types, unsigned numWorkers);
std::string computeSymbol(std::size_t type); // the function that holds compute() of that type

// Drops __attribute__((target("supervisor"))) and its worker form, which g++ rejects; line
// structure stays.
std::string dropTargetAttributes(std::string source);

} // namespace poplar::codelet
