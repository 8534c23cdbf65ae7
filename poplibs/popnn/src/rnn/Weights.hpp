// SPDX-License-Identifier: MIT
// Weights of recurrent layers and small programs on their tensors.
#pragma once
#include "poplin/ConvPlan.hpp"
#include "popnn/Rnn.hpp"
#include <poplar/Program.hpp>

namespace popnn::rnn {

struct WeightsShape {
  poplar::Type type;
  std::size_t batch, in, out, units;
  bool together; // one product of [in + out] x [units * out] a step; else one each
};
// {[units][in][out], [units][out][out]}, laid out for the products; stored [in or out][units][out],
// so that the host multiplies them as they are.
std::pair<poplar::Tensor, poplar::Tensor>
createKernels(poplar::Graph &graph, const WeightsShape &shape, const poplin::ConvOptions &options,
              poplin::PlanningCache *cache, const poplar::DebugContext &context);

void zero(poplar::Graph &graph, const std::vector<poplar::Tensor> &tensors,
          poplar::program::Sequence &prog, const poplar::DebugContext &context);

// poplibs_error unless every shard has a step.
void checkShards(const char *function, std::size_t shards, const RnnParams &params);

} // namespace popnn::rnn
