// SPDX-License-Identifier: MIT
// Where the result of an element-wise operation should lie.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <vector>

namespace popops {

// A tensor of the shape that the inputs broadcast to. It takes the layout of the input of that
// shape that is spread best: fewest elements on the fullest tile, then most tiles, then fewest
// contiguous regions. Without such an input it is spread linearly.
poplar::Tensor createOutputForElementWiseOp(poplar::Graph &graph,
                                            const std::vector<poplar::Tensor> &inputs,
                                            const poplar::Type &outputType,
                                            const poplar::DebugContext &debugContext = {});

} // namespace popops
