// SPDX-License-Identifier: MIT
// Softmax over the innermost dimension, its logarithm and its gradient.
#pragma once
#include "openipu/Operation.hpp"
#include "popnn/kernels/Softmax.hpp"

namespace popnn {

constexpr float softmaxScaling = 62000.0f; // of SOFTMAX_SCALED: the largest that half can hold

using kernels::SoftmaxForm;

// FLOAT or HALF of rank 1 at least.
void checkSoftmax(const poplar::Tensor &t, const std::string &api);
// `uses`: the output and the input, or one tensor for both.
void addSoftmax(poplar::Graph &graph, std::vector<openipu::Used> uses, SoftmaxForm form,
                poplar::program::Sequence &prog, const poplar::DebugContext &context,
                const std::string &api);
// inGradient = g * y - y * sum(g * y)
void addSoftmaxGradient(poplar::Graph &graph, const poplar::Tensor &y, const poplar::Tensor &g,
                        const poplar::Tensor &inGradient, poplar::program::Sequence &prog,
                        const poplar::DebugContext &context);

} // namespace popnn
