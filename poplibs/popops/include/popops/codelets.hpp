// SPDX-License-Identifier: MIT
// Makes the library's vertices known to a graph. The operators themselves work without it.
#pragma once
#include <poplar/Graph.hpp>

namespace popops {

void addCodelets(poplar::Graph &graph);

} // namespace popops
