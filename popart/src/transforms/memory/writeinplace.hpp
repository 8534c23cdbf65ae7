// SPDX-License-Identifier: MIT
// Element-wise results take the place of an input that nobody needs any more.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

// Marks element-wise nodes (inPlaceMark of analysis/storage.hpp). The order of the nodes is final;
// values in `kept` stay as they are. Preferences of a node (setInplacePreferences) that are all
// zero or less keep it from being marked.
void writeInPlace(ir::Graph &graph, const std::set<ir::Value> &kept);

} // namespace popart::transforms
