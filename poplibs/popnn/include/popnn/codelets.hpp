// SPDX-License-Identifier: MIT
// popnn's vertices. Operators of this library need no call; programs that add popnn's vertices by
// name make one.
#pragma once
#include <poplar/Graph.hpp>

namespace popnn {

// Makes the library's vertices known to the graph. Call it before the functions of popnn.
void addCodelets(poplar::Graph &graph);

} // namespace popnn
