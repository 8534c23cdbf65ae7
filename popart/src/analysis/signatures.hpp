// SPDX-License-Identifier: MIT
// What a node does, apart from the values it does it with.
#pragma once
#include "ir/graph.hpp"

namespace popart::analysis {

// By node: equal numbers for nodes that are the same code in the same place (IPU, stage, pass).
// What is drawn at random is left out: the seed's modifier is a number that a call can hand over.
std::vector<std::uint32_t> signatures(const ir::Graph &graph);

} // namespace popart::analysis
