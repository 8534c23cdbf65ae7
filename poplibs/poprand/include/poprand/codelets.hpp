// SPDX-License-Identifier: MIT
// For programs that call it: the operators of this library work without it.
#pragma once
#include <poplar/Graph.hpp>

namespace poprand {

void addCodelets(poplar::Graph &graph);

} // namespace poprand
