// SPDX-License-Identifier: MIT
// What an inference computes of weights and constants alone need not be computed with every batch,
// but once when they come from the host. Views are no part of it, unless a node that is uses them:
// a weight is laid out for its users through them.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

// The values made by nodes that need to run only once.
std::set<ir::Value> findSetup(const ir::Graph &graph);

} // namespace popart::transforms
