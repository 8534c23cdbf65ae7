// SPDX-License-Identifier: MIT
// Normalisations that models spell out are recognised and computed as one operator, forwards and
// (when this runs before differentiation) backwards:
//   layer norm, as exported before opset 17:
//     d = x - mean(x);  y = d / sqrt(mean(d^2) + epsilon) [* scale + bias]
//   group norm, as exported through instance norm:
//     y = reshape(InstanceNormalization(reshape(x, [N, groups, -1]), 1, 0)) * scale + bias
// Values computed on the way stay available to others that use them.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

// How many were replaced. What is then unused is left for pruning.
unsigned joinNormalisations(ir::Graph &graph);

} // namespace popart::transforms
