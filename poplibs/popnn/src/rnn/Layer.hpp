// SPDX-License-Identifier: MIT
// What the calls of all recurrent layers share: parameters and options of a cell, shapes of its
// tensors, the list of its products. `Params` is LstmParams or GruParams: their members have the
// same names.
#pragma once
#include "base/Text.hpp"
#include "poplin/MatMul.hpp"
#include "poplin/ProductPlan.hpp"
#include "popnn/kernels/RecurrentCell.hpp"
#include "poputil/exceptions.hpp"
#include "rnn/Layout.hpp"
#include <algorithm>

namespace popnn::rnn {

// docs/popnn-options.md
struct LayerOptions {
  bool inferenceOnly = false, codeReuse = false;
  std::size_t shards = 1;
  std::string partialsType, availableMemoryProportion; // as given; empty: not given

  // poplar::invalid_option for values that no layer can have.
  void check() const;
  // Of matMul for a product in this pass of the layer: INFERENCE_FWD, TRAINING_FWD, ...
  poplar::OptionFlags productFlags(const char *pass) const;
  poplin::ConvOptions product(const char *pass) const {
    return poplin::productOptions(productFlags(pass));
  }
};

// poplibs_error unless `who` can use the function.
void checkActivation(const char *function, const char *who, NonLinearityType type);

// poplibs_error unless the parameters describe a cell of these units, which are in order.
template <class Params, class Unit>
void checkCell(const char *function, const Params &p, const std::vector<Unit> &units) {
  checkParams(function, p.rnn);
  auto sorted = p.cellOrder;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != units)
    throw poputil::poplibs_error(base::str(function, ": cellOrder ", base::list(p.cellOrder),
                                           " does not name each of the ",
                                           units.size() == 3 ? "three" : "four", " units once."));
  for (auto type : {p.activation, p.recurrentActivation})
    checkActivation(function, "a cell", type);
}

template <class Params> void describe(const Params &p, kernels::CellOf &s) {
  s.steps = p.rnn.maxTimeSteps;
  s.batch = p.rnn.batchSize;
  s.in = p.rnn.layerSizes[0];
  s.out = p.rnn.layerSizes[1];
  s.activation = p.activation;
  s.recurrentActivation = p.recurrentActivation;
  for (std::size_t i = 0; i < p.cellOrder.size(); ++i)
    s.column[p.cellOrder[i]] = std::uint8_t(i);
  s.fullSequence = p.outputFullSequence;
  s.isHalf = p.rnn.dataType == poplar::HALF;
}

// As plans have them.
struct Sizes {
  std::size_t steps, batch, in, out, state;
  explicit Sizes(const RnnParams &p)
      : steps(p.maxTimeSteps), batch(p.batchSize), in(p.layerSizes[0]), out(p.layerSizes[1]),
        state(batch * out) {}
};

using Dims = std::vector<std::size_t>;
inline Dims stateShape(const RnnParams &p) { return {p.batchSize, p.layerSizes[1]}; }
inline Dims inputShape(const RnnParams &p) {
  return {p.maxTimeSteps, p.batchSize, p.layerSizes[0]};
}
template <class Params> Dims outputShape(const Params &p) {
  if (!p.outputFullSequence)
    return stateShape(p.rnn);
  return {p.rnn.maxTimeSteps, p.rnn.batchSize, p.rnn.layerSizes[1]};
}
inline Dims keptShape(const RnnParams &p, std::size_t columns) {
  return {p.maxTimeSteps, p.batchSize, columns, p.layerSizes[1]};
}

poplar::Tensor createState(poplar::Graph &graph, const poplar::Type &type, const Dims &shape,
                           const poplar::DebugContext &context);
inline poplar::Tensor createState(poplar::Graph &graph, const RnnParams &p,
                                  const poplar::DebugContext &context) {
  return createState(graph, p.dataType, stateShape(p), context);
}
template <class Params>
poplar::Tensor createOutput(poplar::Graph &graph, const Params &p, std::size_t shards,
                            const poplar::DebugContext &context) {
  return p.outputFullSequence
             ? createSequence(graph, p.rnn.dataType, outputShape(p), shards, context)
             : createState(graph, p.rnn, context);
}

// The products of a layer, for matMul's planner.
struct Products {
  const poplar::Type &type;
  const LayerOptions &options;
  std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>> list = {};

  void add(const char *pass, std::size_t m, std::size_t k, std::size_t n) {
    list.push_back({poplin::MatMulParams{type, type, {m, k}, {k, n}}, options.productFlags(pass)});
  }
};

// Floating point operations of [batch][depth] x [depth][units * out] in all steps, and how many
// elements the states of all steps have.
inline std::uint64_t productFlops(const RnnParams &p, std::size_t depth, std::size_t units) {
  return std::uint64_t(2) * p.maxTimeSteps * p.batchSize * depth * units * p.layerSizes[1];
}
inline std::uint64_t stateElements(const RnnParams &p) {
  return std::uint64_t(p.maxTimeSteps) * p.batchSize * p.layerSizes[1];
}

} // namespace popnn::rnn
