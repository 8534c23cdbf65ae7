// SPDX-License-Identifier: MIT
// Variables that are kept elsewhere than whole on the tiles of every replica. A variable beside the
// chip is loaded before its first use in each pass (in a pipeline: each stage) and stored after the
// last node there that writes it. A sharded one has a variable for its part; what reads the whole
// gathers the parts, once per pass. Updates of sharded weights work on parts already
// (optimizer/update.cpp makes them so).
#pragma once
#include "analysis/locations.hpp"

namespace popart::transforms {

// The variable that holds this replica's part of another, new and without users.
ir::Value addShard(ir::Graph &graph, ir::Value whole, const analysis::Location &location,
                   std::int64_t replicas);
// What all collectives on parts have to know.
ir::Attributes shardAttributes(const CommGroup &domain, std::int64_t replicas);

// For every session, once all nodes are there and placed. Variables of `onChip` stay; those that
// are anchored count as used.
void moveVariables(ir::Graph &graph, const analysis::Locations &locations,
                   const std::set<ir::Value> &onChip, const std::map<TensorId, ir::Value> &anchors);

// Before that: what the backward pass reads of the forward pass is stored where it is made and read
// from there.
void moveActivations(ir::Graph &graph, const analysis::Locations &locations, bool pipelined);

} // namespace popart::transforms
