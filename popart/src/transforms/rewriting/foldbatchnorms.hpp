// SPDX-License-Identifier: MIT
// BatchNormalization of an inference becomes part of the convolution or product in front of it:
//   scale (w x + b - mean) / deviation + bias  =  (w m) x + (bias + (b - mean) m),  m = scale /
//   deviation
// One without such a neighbour becomes x m + a, which fuses with others. The new weights are nodes
// that need nothing but weights, so transforms/memory/findsetup.hpp runs them once. Values in
// `kept` stay.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

// The number of normalisations that went into weights.
unsigned foldBatchNorms(ir::Graph &graph, const std::set<ir::Value> &kept);

} // namespace popart::transforms
