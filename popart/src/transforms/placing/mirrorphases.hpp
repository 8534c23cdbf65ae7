// SPDX-License-Identifier: MIT
// The backward pass of phase p of n is phase 2 n - 2 - p; once all its nodes are there.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

void mirrorPhases(ir::Graph &graph, std::int64_t phases);

} // namespace popart::transforms
