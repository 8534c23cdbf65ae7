// SPDX-License-Identifier: MIT
// Execution phases: a model cut in time. Phases of the forward pass follow one another, those of
// the backward pass in reverse, on one IPU or on two in turn; weights that are kept off the chip
// are loaded anew for each phase (transforms/memory/movevariables.hpp).
#pragma once
#include "ir/graph.hpp"
#include <popart/sessionoptions.hpp>

namespace popart::transforms {

// Phases of the forward pass as annotated, or by even shares of the bytes of weights in running
// order; every node goes to the IPU of its phase, or stays where it is annotated if a replica has
// more IPUs than stages. popart::error for settings or annotations that cannot be kept.
void assignPhases(ir::Graph &graph, const ExecutionPhaseSettings &settings, unsigned ipus);

} // namespace popart::transforms
