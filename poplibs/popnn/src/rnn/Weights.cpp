// SPDX-License-Identifier: MIT
// Weights of recurrent layers and small programs on their tensors.
#include "rnn/Weights.hpp"
#include "base/Text.hpp"
#include "popops/Zero.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>

namespace popnn::rnn {

using poplar::Tensor;

namespace {

// [depth][units * out], mapped as the right-hand side of a product.
Tensor createMatrix(poplar::Graph &graph, const WeightsShape &s, std::size_t depth,
                    const poplin::ConvOptions &options, poplin::PlanningCache *cache,
                    const poplar::DebugContext &context) {
  const auto width = s.units * s.out;
  auto w = graph.addVariable(s.type, {depth, width}, context);
  if (!w.numElements() || !s.batch) {
    poputil::mapTensorLinearly(graph, w);
    return w;
  }
  const poplin::ConvParams params(s.type, s.type, s.batch, {1}, {1}, depth, width, 1);
  const auto plan = poplin::planConvolution(graph.getTarget(), params, options, cache);
  poplin::mapWeights(graph, w.transpose().expand({0, 2}), params, plan);
  return w;
}

Tensor byUnit(const Tensor &matrix, const WeightsShape &s) {
  return matrix.reshape({matrix.dim(0), s.units, s.out}).dimShuffle({1, 0, 2});
}

} // namespace

std::pair<Tensor, Tensor> createKernels(poplar::Graph &graph, const WeightsShape &s,
                                        const poplin::ConvOptions &options,
                                        poplin::PlanningCache *cache,
                                        const poplar::DebugContext &context) {
  if (!s.together)
    return {byUnit(createMatrix(graph, s, s.in, options, cache, {context, "input"}), s),
            byUnit(createMatrix(graph, s, s.out, options, cache, {context, "output"}), s)};
  auto both = createMatrix(graph, s, s.in + s.out, options, cache, context);
  return {byUnit(both.slice(0, s.in), s), byUnit(both.slice(s.in, s.in + s.out), s)};
}

void zero(poplar::Graph &graph, const std::vector<Tensor> &tensors, poplar::program::Sequence &prog,
          const poplar::DebugContext &context) {
  for (const auto &t : tensors)
    popops::zero(graph, t, prog, context);
}

void checkShards(const char *function, std::size_t shards, const RnnParams &params) {
  if (shards > std::max<std::size_t>(1, params.maxTimeSteps))
    throw poputil::poplibs_error(base::str(function, ": numShards is ", shards, " but there are ",
                                           params.maxTimeSteps,
                                           " time steps; every shard needs one."));
}

} // namespace popnn::rnn
