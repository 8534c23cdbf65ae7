// SPDX-License-Identifier: MIT
// A graph as Graphviz text: `dot -Tsvg`. Nodes carry the ids of the image, so the text is the same
// on every run.
#pragma once
#include "executable/Image.hpp"
#include <iosfwd>

namespace poplar::profile {

// Variables (boxes) and vertices (ellipses, by compute set), an arrow for each field that reads or
// writes.
void writeVertexGraph(std::ostream &out, const executable::Image &image);

// Programs: containers and leaves in the order of execution, with the compute sets and variables of
// the leaves.
void writeComputeGraph(std::ostream &out, const executable::Image &image);

} // namespace poplar::profile
