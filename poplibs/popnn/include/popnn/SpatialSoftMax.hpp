// SPDX-License-Identifier: MIT
// Where the features of an image are: the mean position under the softmax of each field.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <utility>

namespace popnn {

// fields [F][H][W] are divided by the temperature and the softmax over H and W weighs the
// positions, which run from -1 to 1 along each side; with disableSoftmax the fields are the
// weights. Returns [F][2] with (x along W, y along H), and the temperature: a tensor of one element
// that starts with the value given and that the program may change.
std::pair<poplar::Tensor, poplar::Tensor>
spatialSoftMax2D(poplar::Graph &graph, poplar::program::Sequence &prog,
                 const poplar::Tensor &fields, float temperature, bool disableSoftmax = false,
                 const poplar::DebugContext &debugContext = {});

} // namespace popnn
