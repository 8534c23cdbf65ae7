// SPDX-License-Identifier: MIT
// Stages of the forward pass, before differentiation.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

// As annotated (all nodes or none), else the IPU. popart::error if some have one.
void inferStages(ir::Graph &graph);

} // namespace popart::transforms
