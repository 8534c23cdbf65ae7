// SPDX-License-Identifier: MIT
// Weight updates that need not wait for other micro-batches run among the nodes that make their
// gradients.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

// For models without accumulation and pipeline, whose anchors are no variables.
void updateAtOnce(ir::Graph &graph);

} // namespace popart::transforms
