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
// The same for code with CountedLines: openipu_kept has the visits of the worker that took longest.
std::string linesGlue(const std::vector<DiscoveredType> &types, unsigned numWorkers);
// A source of its own that is linked into checked images: what the compiler's instrumentation of
// memory accesses and of undefined behaviour calls, and the memory functions, in terms of the
// hooks.
const char *checkedSupport();
std::string computeSymbol(std::size_t type); // the function that holds compute() of that type

} // namespace poplar::codelet
