// SPDX-License-Identifier: MIT
// Several IPUs: every node gets one, and what a node reads from another IPU gets there by an
// IpuCopy.
#pragma once
#include "ir/graph.hpp"
#include <map>
#include <set>

namespace popart::transforms {

// Nodes that rewriting or differentiation left without an IPU (and pipeline stage) take that of the
// variable they update, else of what they read.
void placeNodes(ir::Graph &graph);

// Variables that several IPUs read and none writes get one of their own on every further IPU.
// Returns for each the variable whose value it is to have.
std::map<ir::Value, ir::Value> spreadVariables(ir::Graph &graph,
                                               const std::set<ir::Value> &variables);

// After this every input of a node (of the weight update alone, if asked) lives on the node's IPU.
// Constants are repeated instead of copied.
void insertIpuCopies(ir::Graph &graph, bool updatesOnly = false);

} // namespace popart::transforms
