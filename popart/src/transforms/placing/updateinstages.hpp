// SPDX-License-Identifier: MIT
// Without gradient accumulation every micro-batch updates the weights: nodes of the update go to
// the first stage of their IPU that has what they read, or to a new one behind the last.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

void updateInStages(ir::Graph &graph);

} // namespace popart::transforms
