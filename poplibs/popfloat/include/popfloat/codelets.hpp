// SPDX-License-Identifier: MIT
// For programs that call it: this library has no vertices of its own to add.
#pragma once
#include <poplar/Graph.hpp>

namespace popfloat {

// Makes the library's vertices known to the graph. Call it before the functions of popfloat.
void addCodelets(poplar::Graph &graph);

namespace experimental {
using popfloat::addCodelets;
} // namespace experimental

} // namespace popfloat
