// SPDX-License-Identifier: MIT
// A node of the backward pass runs no earlier than what it reads, in a stage of its own IPU. Stages
// that the model leaves out, or of which nothing is needed, are no stages: the others close up.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

void raiseStages(ir::Graph &graph);

} // namespace popart::transforms
