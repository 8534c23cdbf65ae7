// SPDX-License-Identifier: MIT
// A product of a MatMul's result with a number becomes one of its operand with fewer elements, if
// that has at most half as many; a rule of these two alone. For training. Values in `kept` stay.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

// The number of products that moved.
unsigned moveScales(ir::Graph &graph, const std::set<ir::Value> &kept);

} // namespace popart::transforms
