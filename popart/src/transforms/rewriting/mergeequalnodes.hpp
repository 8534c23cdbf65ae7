// SPDX-License-Identifier: MIT
// Common subexpressions: nodes that compute the same from the same values become one, as do small
// constants that are equal. The later one's users read the earlier one's result.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

// Values in `kept` (anchors) keep a node of their own. Returns how many nodes went.
unsigned mergeEqualNodes(ir::Graph &graph, const std::set<ir::Value> &kept);

} // namespace popart::transforms
