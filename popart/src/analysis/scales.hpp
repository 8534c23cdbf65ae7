// SPDX-License-Identifier: MIT
// Products with a number, however they are written.
#pragma once
#include "ir/graph.hpp"
#include <optional>

namespace popart::analysis {

// The number that a node of the forward pass multiplies with, and which input it is not.
std::optional<std::pair<double, std::size_t>> scaleOf(const ir::Graph &graph, const ir::Node &node);

} // namespace popart::analysis
