// SPDX-License-Identifier: MIT
// The gradient of a cross entropy by the logits, in one operation.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {

// dx[r] = (p[r] - onehot(labels[r])) * scale, in the layout of x.
struct SoftmaxLoss {
  poplar::Tensor x;      // [rows][classes] of FLOAT or HALF: p, or their logarithms
  poplar::Tensor labels; // UNSIGNED_INT [rows]; what is no class has no one
  bool logarithms;
  poplar::Tensor scale; // FLOAT or HALF, of one element or one per row; or invalid:
  float knownScale = 1;
};
poplar::Tensor softmaxLossGradient(poplar::Graph &graph, const SoftmaxLoss &loss,
                                   poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext);

} // namespace popnn
