// SPDX-License-Identifier: MIT
// On which IPU values are.
#pragma once
#include "ir/graph.hpp"

namespace popart::analysis {

// Where each value lives: with its node, or with the first node that uses it.
std::vector<std::int64_t> homes(const ir::Graph &graph);

} // namespace popart::analysis
