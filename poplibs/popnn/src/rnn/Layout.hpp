// SPDX-License-Identifier: MIT
// Where sequences lie: every step is spread over the same tiles in pieces of at least a grain, so
// that slicing a step is work for all of them; shards of the sequence take tiles in turn.
#pragma once
#include "popnn/Rnn.hpp"
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

namespace popnn::rnn {

constexpr std::size_t stepGrain = 16; // elements of a step that stay together on a tile

// How many tiles one step of so many elements takes when there are `shards`.
unsigned tilesOfStep(const poplar::Target &target, std::size_t elements, std::size_t shards);

// [steps][...], a variable's own order.
void mapSteps(poplar::Graph &graph, const poplar::Tensor &sequence, std::size_t shards);
poplar::Tensor createSequence(poplar::Graph &graph, const poplar::Type &type,
                              const std::vector<std::size_t> &shape, std::size_t shards,
                              const poplar::DebugContext &context);

// poplibs_error unless the parameters make sense; `layer` is named in the message.
void checkParams(const char *layer, const RnnParams &params);
// poplibs_error unless `tensor` has this shape and the layer's type.
void checkTensor(const char *function, const char *what, const poplar::Tensor &tensor,
                 const poplar::Type &type, const std::vector<std::size_t> &shape);
void checkLengths(const char *function, const poplar::Tensor &lengths, std::size_t batch);

} // namespace popnn::rnn
