// SPDX-License-Identifier: MIT
// Element-wise results take the place of an input that nobody needs any more.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

// Marks element-wise nodes with "inplace": for every output the input whose memory it takes over,
// or -1. The order of the nodes is final; values in `kept` stay as they are. Preferences of a node
// (setInplacePreferences) that are all zero or less keep it from being marked.
void writeInPlace(ir::Graph &graph, const std::set<ir::Value> &kept);

// The input whose memory an output takes over, by that mark; -1: it has its own.
std::int64_t inPlaceInput(const ir::Node &node, std::size_t output);

} // namespace popart::transforms
