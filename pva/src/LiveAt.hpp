// SPDX-License-Identifier: MIT
// Who lives at a step, of variables that each live from one step to another. A list for every step
// would be as large as all lives together; lists for some steps are short, and lead to the others.
#pragma once
#include <cstdint>
#include <vector>

namespace pva::detail {

struct Span {
  std::uint32_t first, last; // both included
};

class LiveAt {
public:
  struct Life {
    std::uint32_t variable;
    Span steps;
  };
  LiveAt() = default;
  LiveAt(std::vector<Life> lives, std::uint32_t numSteps);
  std::vector<std::uint32_t> operator()(std::uint32_t step) const; // rising

private:
  std::vector<Life> lives_;                       // by first step
  std::vector<std::uint32_t> begin_;              // by step: the first life from there on
  std::vector<std::vector<std::uint32_t>> marks_; // lives at every stride-th step
};

} // namespace pva::detail
