// SPDX-License-Identifier: MIT
// Removes the nodes that nothing needs: neither a value to keep, nor a variable, nor a side effect.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

void prune(ir::Graph &graph, const std::set<ir::Value> &kept);

} // namespace popart::transforms
