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
// The backward pass of phase p of n is phase 2 n - 2 - p; once all its nodes are there.
void mirrorPhases(ir::Graph &graph, std::int64_t phases);
// Puts nodes in the order of their phases; one that has none, or reads what a later phase makes,
// goes to the earliest phase it can.
void orderPhases(ir::Graph &graph);

} // namespace popart::transforms
