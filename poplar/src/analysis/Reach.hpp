// SPDX-License-Identifier: MIT
// What the programs of an image can get to: steps, compute sets and variables. Passes
// walk these lists instead of recursing, so deep programs need no deep stack.
#pragma once
#include "executable/Image.hpp"

namespace poplar::analysis {

struct Reach {
  std::vector<std::uint32_t> order;      // steps, every parent (and caller) before its children
  std::vector<std::uint32_t> leaves;     // leaf steps in program order, each once
  std::vector<std::uint8_t> computeSets; // 1 where executed
  std::vector<std::uint8_t> variables;   // 1 where a step, a vertex or the host uses it
};

// Throws graph_recursion_error when a function calls itself, naming the way round.
Reach reach(const executable::Image &image);

} // namespace poplar::analysis
