// SPDX-License-Identifier: MIT
// Nodes that rewriting or differentiation left without an IPU (and pipeline stage) take that of the
// variable they update, else of what they read.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

void placeNewNodes(ir::Graph &graph);

} // namespace popart::transforms
