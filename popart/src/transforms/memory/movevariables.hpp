// SPDX-License-Identifier: MIT
// Variables that are kept elsewhere than whole on the tiles of every replica. A variable beside the
// chip is loaded before its first use in each pass (in a pipeline: each stage) and stored after the
// last node there that writes it. A sharded one has a variable for its part; what reads the whole
// gathers the parts, once per pass. Updates of sharded weights work on parts already
// (optimizer/update.cpp makes them so).
#pragma once
#include "analysis/locations.hpp"

namespace popart::transforms {

// For every session, once all nodes are there and placed. Variables of `onChip` stay; those that
// are anchored count as used.
void moveVariables(ir::Graph &graph, const analysis::Locations &locations,
                   const std::set<ir::Value> &onChip, const std::map<TensorId, ir::Value> &anchors);

} // namespace popart::transforms
