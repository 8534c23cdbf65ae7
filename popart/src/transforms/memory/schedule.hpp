// SPDX-License-Identifier: MIT
// The order in which nodes run. What they compute does not depend on it, but the bytes that are
// alive at the same time do: a gradient that updates its weight at once is gone at once, a value
// that is computed again is best computed just before it is used.
#pragma once
#include "ir/graph.hpp"
#include <popart/sessionoptions.hpp>

namespace popart::transforms {

// Reorders the nodes: of several orders the one whose peak of live bytes is lowest, and the present
// one if none is better. Nodes stay in their pipeline stage and their pass, readers of a variable
// on their side of its updates. popart::error for an unknown kahnTieBreaker.
void schedule(ir::Graph &graph, const SessionOptions &options);

} // namespace popart::transforms
