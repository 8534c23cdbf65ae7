// SPDX-License-Identifier: MIT
// Which values share memory once they are lowered, as far as operators tell.
#pragma once
#include "ir/graph.hpp"

namespace popart::analysis {

// Whether output 0 is surely nothing but another look at input 0.
bool isView(const ir::Node &node);
// Whether outputs may show (part of) an input's memory; element-wise operators, products and such
// surely write memory of their own.
bool mayShareMemory(const ir::Graph &graph, const ir::Node &node);

// The attribute of nodes that write over inputs: for every output the input whose memory it takes
// over, or -1.
inline constexpr const char *inPlaceMark = "inplace";
// That input; -1: the output has memory of its own.
std::int64_t inPlaceInput(const ir::Node &node, std::size_t output);

// The value whose bytes each value is: itself, or for views what they look at.
std::vector<ir::Value> storageOf(const ir::Graph &graph);
// Values that may share memory have the same number here.
std::vector<std::uint32_t> memoryClasses(const ir::Graph &graph);
// Inputs that a node writes in place (indices of Node::inputs).
std::vector<std::size_t> writtenInputs(const ir::Graph &graph, const ir::Node &node);

} // namespace popart::analysis
