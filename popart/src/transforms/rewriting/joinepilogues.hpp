// SPDX-License-Identifier: MIT
// A convolution or product and what follows it element by element become one node:
//   y = activation(product + bias + addend)
// A step joins if it alone uses what is before it, runs in the same pass, place and stage, and
// nobody else sees that value; so in training an activation joins if its gradient needs only its
// output (Relu, Tanh, Sigmoid). Values in `kept` stay.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

// The number of nodes that joined others.
unsigned joinEpilogues(ir::Graph &graph, const std::set<ir::Value> &kept);

} // namespace popart::transforms
