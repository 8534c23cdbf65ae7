// SPDX-License-Identifier: MIT
// For programs that call it: the operators of this library work without it.
#pragma once
#include <poplar/Graph.hpp>

namespace popsparse {

// Makes the library's vertices known to the graph. Call it before the functions of popsparse.
void addCodelets(poplar::Graph &graph);

} // namespace popsparse
