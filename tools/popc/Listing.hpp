// SPDX-License-Identifier: MIT
// What popc --cycles prints: the lines of each vertex with what they cost, then its loops.
#pragma once
#include "Cycles.hpp"

namespace popc {

std::string listing(const std::vector<VertexCycles> &vertices);

// What decides how often a loop's body runs, as the line says it: `i < n` of `for (...; i < n;
// ++i)`, `n > 0` of `while (n > 0)`, `x : data` of a loop over a range. Empty if the line does not
// say.
std::string tripExpression(const std::string &line);

} // namespace popc
