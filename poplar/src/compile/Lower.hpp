// SPDX-License-Identifier: MIT
// Graph and programs -> Image. Keeps only what the programs and host handles reach, renumbers it
// densely in the graph's own order, and turns views into moves. A program that stands in several
// places becomes a function when it is large enough, so nested reuse stays small. Control flow
// stays nested.
#pragma once
#include "executable/Image.hpp"
#include "graph/GraphState.hpp"

namespace poplar::compile {

executable::Image lower(const graph::GraphState &graph,
                        const std::vector<program::Program> &programs);

} // namespace poplar::compile
