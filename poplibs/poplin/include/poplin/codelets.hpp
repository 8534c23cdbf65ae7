// SPDX-License-Identifier: MIT
// The library's vertices. Operations work with and without this call; programs written for the IPU
// make it.
#pragma once
#include <poplar/Graph.hpp>

namespace poplin {

// Makes the library's vertices known to the graph. Call it before the functions of poplin.
void addCodelets(poplar::Graph &graph);

} // namespace poplin
