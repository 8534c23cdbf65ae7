// SPDX-License-Identifier: MIT
// The stages of a pipeline, once all of its nodes have one.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

// Checks that stages keep to one IPU each. Returns their number.
std::int64_t countStages(const ir::Graph &graph);

} // namespace popart::transforms
