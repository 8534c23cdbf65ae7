// SPDX-License-Identifier: MIT
// Two reports next to each other: a step, the whole run, memory, the graph, and the parts of a step
// that changed most.
#pragma once
#include "Model.hpp"

namespace popvision {

struct Difference {
  std::string table; // step, run, memory, graph, operation, program
  std::string name;
  std::optional<std::uint64_t> before, after; // none: the report does not have it

  std::int64_t change() const {
    return std::int64_t(after.value_or(0)) - std::int64_t(before.value_or(0));
  }
  std::optional<double> percent() const; // of before; none if that is 0
};

struct Comparison {
  std::vector<Difference> figures;
  // Cycles of a step by operation; by program, where a report names no operations. The largest
  // change first.
  std::vector<Difference> parts;
  std::vector<std::string> notes; // what does not compare, or is missing
};

Comparison compared(const Model &before, const Model &after);
std::string compareText(const Comparison &comparison);
std::string compareJson(const Comparison &comparison);
std::string compareCsv(const Comparison &comparison);

// A sentence that names which of these grew by more than `percent`: cycles of a step, memory of the
// fullest tile, memory used. Empty: none. std::runtime_error: one report has runs, the other none.
std::string grownBeyond(const Comparison &comparison, double percent);

} // namespace popvision
