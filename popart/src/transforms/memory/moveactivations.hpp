// SPDX-License-Identifier: MIT
// Values of the forward pass that wait for the backward pass in memory beside the chip: stored
// where they are made, and read from there.
#pragma once
#include "analysis/locations.hpp"

namespace popart::transforms {

// For every session, before variables move. popart::error in a pipeline, which cannot do so.
void moveActivations(ir::Graph &graph, const analysis::Locations &locations, bool pipelined);

} // namespace popart::transforms
