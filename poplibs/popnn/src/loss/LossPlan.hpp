// SPDX-License-Identifier: MIT
// What losses and the search for the largest class take on the tiles.
#pragma once
#include "openipu/Operation.hpp"
#include "popnn/Loss.hpp"

namespace popnn {

struct LossOperands {
  unsigned modelOutputs, expected; // indices among the operation's operands; 1 is deltas
};
openipu::Plan lossPlan(const poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                       const poplar::Tensor &loss, const poplar::Tensor &deltas, LossType type,
                       LossOperands operands);

// The largest (or smallest, or K largest) of each row: on the tiles that hold the rows, then
// between tiles until one is left.
enum class ClassSearch { Max, Min, MaxN };
openipu::Plan classPlan(const poplar::Graph &graph, const poplar::Tensor &input, ClassSearch search,
                        unsigned k = 1);
// K of each row in order: HeapSort with values, a worker has one row after the other.
openipu::Superstep sortStep(const poplar::Graph &graph, const poplar::Tensor &input,
                            std::uint64_t k);
openipu::Plan accuracyPlan(const poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                           const poplar::Tensor &numCorrect);

} // namespace popnn
