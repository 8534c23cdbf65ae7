// SPDX-License-Identifier: MIT
// Activations that never decrease, and a bias per channel, move from the front of a MaxPool to
// behind it: the largest element stays the largest, and there are fewer of them afterwards. The
// gradients, written from the new order, are those of the old. Values in `kept` stay.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

// The number of nodes (and biases of convolutions) that moved.
unsigned moveBehindPools(ir::Graph &graph, const std::set<ir::Value> &kept);

} // namespace popart::transforms
