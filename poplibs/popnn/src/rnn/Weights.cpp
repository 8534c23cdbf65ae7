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

Tensor createMatrix(poplar::Graph &graph, const poplar::Type &type, std::size_t batch,
                    std::size_t depth, std::size_t width, const poplin::ConvOptions &options,
                    poplin::PlanningCache *cache, const poplar::DebugContext &context) {
  auto w = graph.addVariable(type, {depth, width}, context);
  if (!w.numElements() || !batch) {
    poputil::mapTensorLinearly(graph, w);
    return w;
  }
  const poplin::ConvParams params(type, type, batch, {1}, {1}, depth, width, 1);
  const auto plan = poplin::planConvolution(graph.getTarget(), params, options, cache);
  poplin::mapWeights(graph, w.transpose().expand({0, 2}), params, plan);
  return w;
}

namespace {

Tensor byUnit(const Tensor &matrix, const WeightsShape &s) {
  return matrix.reshape({matrix.dim(0), s.units, s.out}).dimShuffle({1, 0, 2});
}

} // namespace

std::pair<Tensor, Tensor> createKernels(poplar::Graph &graph, const WeightsShape &s,
                                        const poplin::ConvOptions &options,
                                        poplin::PlanningCache *cache,
                                        const poplar::DebugContext &context) {
  const auto matrix = [&](std::size_t depth, const poplar::DebugContext &name) {
    return createMatrix(graph, s.type, s.batch, depth, s.units * s.out, options, cache, name);
  };
  if (!s.together)
    return {byUnit(matrix(s.in, {context, "input"}), s),
            byUnit(matrix(s.out, {context, "output"}), s)};
  auto both = matrix(s.in + s.out, context);
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
