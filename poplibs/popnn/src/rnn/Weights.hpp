// SPDX-License-Identifier: MIT
// Weights of recurrent layers and small programs on their tensors.
#pragma once
#include "poplin/ConvPlan.hpp"
#include "popnn/Rnn.hpp"
#include "rnn/Layout.hpp"
#include "rnn/Uses.hpp"
#include <poplar/Program.hpp>

namespace popnn::rnn {

struct WeightsShape {
  poplar::Type type;
  std::size_t batch, in, out, units;
  bool together; // one product of [in + out] x [units * out] a step; else one each

  WeightsShape(const RnnParams &p, std::size_t units, bool together)
      : type(p.dataType), batch(p.batchSize), in(p.layerSizes[0]), out(p.layerSizes[1]),
        units(units), together(together) {}
};
// {[units][in][out], [units][out][out]}, laid out for the products; stored [in or out][units][out],
// so that the host multiplies them as they are.
std::pair<poplar::Tensor, poplar::Tensor>
createKernels(poplar::Graph &graph, const WeightsShape &shape, const poplin::ConvOptions &options,
              poplin::PlanningCache *cache, const poplar::DebugContext &context);

// [depth][width], mapped as the right-hand side of a product of [batch][depth].
poplar::Tensor createMatrix(poplar::Graph &graph, const poplar::Type &type, std::size_t batch,
                            std::size_t depth, std::size_t width,
                            const poplin::ConvOptions &options, poplin::PlanningCache *cache,
                            const poplar::DebugContext &context);

// What calls do with the weights of a layer, LstmWeights or GruWeights. Those of the input may be
// left out.
template <class W> void inWeights(Uses &uses, const W &w, std::uint32_t inputBit) {
  uses.inIf(w.inputWeights.valid(), w.inputWeights, inputBit);
  uses.in(w.outputWeights);
  uses.in(w.biases);
}
// Tensors for their gradients, as outputs.
template <class W>
W outWeights(poplar::Graph &graph, Uses &uses, const W &w, const poplar::DebugContext &context) {
  const auto gradient = [&](const poplar::Tensor &t, const char *name) {
    if (!t.valid())
      return t;
    auto g = graph.clone(t, {context, name});
    uses.out(g);
    return g;
  };
  return {gradient(w.inputWeights, "inputWeightsGrad"),
          gradient(w.outputWeights, "outputWeightsGrad"), gradient(w.biases, "biasesGrad")};
}
template <class W>
void checkWeights(const char *function, const RnnParams &p, std::size_t units, bool needsInput,
                  const std::vector<std::size_t> &biases, const W &w) {
  const auto in = p.layerSizes[0], out = p.layerSizes[1];
  if (needsInput || w.inputWeights.valid())
    checkTensor(function, "inputWeights", w.inputWeights, p.dataType, {units, in, out});
  checkTensor(function, "outputWeights", w.outputWeights, p.dataType, {units, out, out});
  checkTensor(function, "biases", w.biases, p.dataType, biases);
}

void zero(poplar::Graph &graph, const std::vector<poplar::Tensor> &tensors,
          poplar::program::Sequence &prog, const poplar::DebugContext &context);

// poplibs_error unless every shard has a step.
void checkShards(const char *function, std::size_t shards, const RnnParams &params);

} // namespace popnn::rnn
