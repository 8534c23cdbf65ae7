// SPDX-License-Identifier: MIT
// Stretches that occur several times in a list of symbols.
#pragma once
#include <cstdint>
#include <vector>

namespace popart::analysis {

struct Repeat {
  std::uint32_t length = 0;
  std::vector<std::uint32_t> places; // ascending; they may overlap
};

// The stretches that cannot be made longer without losing a place, and of those that overlap
// themselves one period. Longest lists of symbols first; at most `limit` of them.
std::vector<Repeat> findRepeats(const std::vector<std::uint32_t> &symbols, std::size_t limit);

} // namespace popart::analysis
