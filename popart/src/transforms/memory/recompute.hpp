// SPDX-License-Identifier: MIT
// Recomputation: what the backward pass reads of the forward pass is computed a second time, just
// before it is needed, instead of being kept. Random operators draw the same numbers again, because
// their seed is that of the micro-batch and of the node.
#pragma once
#include "ir/graph.hpp"
#include <popart/sessionoptions.hpp>

namespace popart::transforms {

// Marks forward nodes for recomputation as the option says; nodes the user marked keep their mark.
// popart::error if both the option and marks are given.
void chooseRecomputation(ir::Graph &graph, RecomputationType type);

// Adds the second computation of every marked node that the backward pass needs.
// In a pipeline, the gradients of stage s are computed in stage `mirror` - s.
void recompute(ir::Graph &graph, std::optional<std::int64_t> mirror = std::nullopt);

} // namespace popart::transforms
