// SPDX-License-Identifier: MIT
// Makes the library's vertices known to a graph. The operators themselves work without it.
#pragma once
#include <poplar/Graph.hpp>

namespace popops {

// Makes the library's vertices known to the graph. Call it before the functions of popops.
void addCodelets(poplar::Graph &graph);

} // namespace popops
