// SPDX-License-Identifier: MIT
// Variables that nodes of the model itself change, for every micro-batch.
#pragma once
#include "ir/graph.hpp"

namespace popart::optimizer {

// Moves nodes that change variables for every micro-batch (CopyVarUpdate) behind the last node that
// reads the old value. For every session, once all readers are there.
void delayUpdates(ir::Graph &graph);

} // namespace popart::optimizer
