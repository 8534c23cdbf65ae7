// SPDX-License-Identifier: MIT
// For programs that call it: the operators of this library work without it.
#pragma once
#include <poplar/Graph.hpp>

namespace popsparse {

void addCodelets(poplar::Graph &graph);

} // namespace popsparse
