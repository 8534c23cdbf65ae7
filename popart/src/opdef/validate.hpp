// SPDX-License-Identifier: MIT
// What holds of every graph, before and after every pass.
#pragma once
#include "ir/graph.hpp"

namespace popart::ir {

// Nodes have an operator; they read what streams, variables and constants hold or earlier nodes
// make; every value is made once; bodies keep to that and make what they hand out. Throws
// popart::error naming the first node that does not.
void validate(const Graph &graph);

} // namespace popart::ir
