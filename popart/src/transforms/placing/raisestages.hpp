// SPDX-License-Identifier: MIT
// A node of the backward pass runs no earlier than what it reads.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

void raiseStages(ir::Graph &graph);

} // namespace popart::transforms
