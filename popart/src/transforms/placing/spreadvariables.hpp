// SPDX-License-Identifier: MIT
// Variables that several IPUs read and none writes get one of their own on every further IPU.
#pragma once
#include "ir/graph.hpp"
#include <map>
#include <set>

namespace popart::transforms {

// Returns for each the variable whose value it is to have.
std::map<ir::Value, ir::Value> spreadVariables(ir::Graph &graph,
                                               const std::set<ir::Value> &variables);

} // namespace popart::transforms
