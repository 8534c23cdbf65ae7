// SPDX-License-Identifier: MIT
// Nodes that change nothing go: Identity, Dropout when nothing is dropped, a Cast to the same type,
// Reshape and Expand to the same shape, products with one; and chains of views become one view.
// Named, as each has its own reason. Later passes see what matters. Values in `kept` stay.
#pragma once
#include "ir/graph.hpp"
#include <popart/patterns/patterns.hpp>
#include <set>

namespace popart::transforms {

// The number of nodes that went. Patterns: OpToIdentity, TransposeToIdentityOrReshapePattern,
// PostNRepl (Identity), PreUniRepl (sums and the like of one), SumToAdd.
unsigned bypass(ir::Graph &graph, const Patterns &patterns, bool training,
                const std::set<ir::Value> &kept);

} // namespace popart::transforms
