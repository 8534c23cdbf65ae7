// SPDX-License-Identifier: MIT
// The second half of a spline convolution: features times interpolated weights.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// out[e][o] = sum over s and i of basis[e][s] * weight[weightIndex[e][s]][i][o] * input[e][i].
// input [E, Cin], weight [K, Cin, Cout], basis [E, S]: FLOAT or HALF; weightIndex [E, S]: INT.
poplar::Tensor splineWeighting(poplar::Graph &graph, const poplar::Tensor &input,
                               const poplar::Tensor &weight, const poplar::Tensor &basis,
                               const poplar::Tensor &weightIndex, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {});

} // namespace popops
