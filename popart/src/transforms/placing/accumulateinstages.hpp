// SPDX-License-Identifier: MIT
// A weight that several stages use has a gradient in each of them. Summed before they are
// accumulated, the early ones would wait for the last, a whole gradient for every micro-batch on
// the way; the accumulator is there in all of the stages and adds each where it arises.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

// Gradients of several stages that are summed and then accumulated are accumulated in their stages
// instead, unless the sum is `kept`.
void accumulateInStages(ir::Graph &graph, const std::set<ir::Value> &kept);

} // namespace popart::transforms
