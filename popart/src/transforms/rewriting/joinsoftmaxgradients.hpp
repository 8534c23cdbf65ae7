// SPDX-License-Identifier: MIT
// The gradient of a softmax (or log softmax) that only its negative log likelihood reaches:
//   SoftmaxGrad(p, NllGrad(dloss, p, labels))  ->  NllSoftmaxGrad(dloss, p, labels)
// which is (p - onehot) * scale: one pass instead of two, and no division by small probabilities.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

// How many gradients were joined. What is then unused is left for pruning.
unsigned joinSoftmaxGradients(ir::Graph &graph);

} // namespace popart::transforms
