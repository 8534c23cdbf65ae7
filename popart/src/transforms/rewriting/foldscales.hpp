// SPDX-License-Identifier: MIT
// A product with a number goes into the weights that lead to it, if nothing but views, sums with
// weights and products stand between: attention's 1/sqrt(d) becomes part of the weights of the
// queries. For inferences, where transforms/memory/findsetup.hpp scales the weights once. Values in
// `kept` stay.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

// The number of products that went.
unsigned foldScales(ir::Graph &graph, const std::set<ir::Value> &kept);

} // namespace popart::transforms
