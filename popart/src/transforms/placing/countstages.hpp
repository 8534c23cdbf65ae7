// SPDX-License-Identifier: MIT
// The stages of a pipeline, once all of its nodes have one.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

// Checks that stages have no gaps, keep to one IPU each, and that there are enough micro-batches to
// fill the pipeline. Returns the number of stages.
std::int64_t countStages(const ir::Graph &graph, std::int64_t microBatches, bool accumulation);

} // namespace popart::transforms
