// SPDX-License-Identifier: MIT
// GRU layers: parameters, tensors and the operations that run them.
#include "popnn/Gru.hpp"
#include "gru/GruImpl.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/TileMapping.hpp"
#include "rnn/Notes.hpp"
#include "rnn/Weights.hpp"

namespace popnn::gru {

using kernels::GruOf;
using poplar::DebugContext;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poplin::PlanningCache;
using poputil::PoplibsOpDebugInfo;

std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder() {
  return {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_CANDIDATE};
}

GruParams::GruParams(poplar::Type type, std::size_t batch, std::size_t steps,
                     std::vector<std::size_t> sizes, NonLinearityType activation_,
                     NonLinearityType recurrentActivation_)
    : rnn(type, batch, steps, sizes), dataType(type), batchSize(batch), timeSteps(steps),
      layerSizes(std::move(sizes)), activation(activation_),
      recurrentActivation(recurrentActivation_) {
  rnn::checkParams("GruParams", rnn);
}

GruParams::GruParams(poplar::Type type, std::size_t batch, std::size_t maxSteps,
                     const Tensor &lengths, std::vector<std::size_t> sizes,
                     NonLinearityType activation_, NonLinearityType recurrentActivation_)
    : rnn(type, batch, maxSteps, lengths, sizes), dataType(type), batchSize(batch),
      timeSteps(maxSteps), layerSizes(std::move(sizes)), activation(activation_),
      recurrentActivation(recurrentActivation_) {
  rnn::checkParams("GruParams", rnn);
}

GruOf shapeOf(const GruParams &p) {
  GruOf s;
  rnn::describe(p, s);
  s.resetAfter = p.resetAfter;
  return s;
}

namespace {

Options check(const char *function, const GruParams &p, const OptionFlags &options) {
  rnn::checkCell(function, p, getDefaultBasicGruCellOrder());
  auto parsed = parseOptions(options);
  rnn::checkShards(function, parsed.shards, p.rnn);
  return parsed;
}

std::vector<std::size_t> biasShape(const GruParams &p) {
  if (p.resetAfter)
    return {3, 2, p.rnn.layerSizes[1]};
  return {3, p.rnn.layerSizes[1]};
}

// The arguments that every function has; lengths and attention may be null.
struct Call {
  const char *function;
  const GruParams &params;
  const Tensor &initial, &input;
  const GruWeights &weights;
  const Tensor *lengths, *attention;

  const Tensor *allLengths() const {
    if (lengths)
      return lengths;
    return params.rnn.variableTimeSteps() ? &params.rnn.varTimeSteps : nullptr;
  }
};

Options check(const Call &c, const OptionFlags &options) {
  const auto &p = c.params;
  auto parsed = check(c.function, p, options);
  const auto type = p.rnn.dataType;
  rnn::checkTensor(c.function, "the initial state", c.initial, type, rnn::stateShape(p.rnn));
  rnn::checkTensor(c.function, "the input", c.input, type, rnn::inputShape(p.rnn));
  rnn::checkWeights(c.function, p.rnn, 3, true, biasShape(p), c.weights);
  if (c.lengths)
    rnn::checkLengths(c.function, *c.lengths, p.rnn.batchSize);
  if (c.attention)
    rnn::checkTensor(c.function, "the attention", *c.attention, type,
                     {p.rnn.batchSize, p.rnn.maxTimeSteps});
  return parsed;
}

// Callers' scores are [batch][steps], those of kernels [steps][batch].
void inAttention(rnn::Uses &uses, const Tensor *t) {
  if (t)
    uses.in(t->transpose(), GruOf::HasAttention);
}

bool masked(const Tensor *lengths) {
  return lengths && (lengths->numElements() > 1 || lengths->rank() == 1);
}

} // namespace

Tensor createInput(poplar::Graph &graph, const GruParams &params, const DebugContext &debugContext,
                   const OptionFlags &options, PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  const auto parsed = check("gru::createInput", params, options);
  return rnn::createSequence(graph, params.rnn.dataType, rnn::inputShape(params.rnn), parsed.shards,
                             {di, "input"});
}

Tensor createInitialState(poplar::Graph &graph, const GruParams &params,
                          const DebugContext &debugContext, const OptionFlags &options,
                          PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  check("gru::createInitialState", params, options);
  return rnn::createState(graph, params.rnn, {di, "initialState"});
}

std::pair<Tensor, Tensor> createWeightsKernel(poplar::Graph &graph, const GruParams &params,
                                              const DebugContext &debugContext,
                                              const OptionFlags &options, PlanningCache *cache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  const auto parsed = check("gru::createWeightsKernel", params, options);
  const rnn::WeightsShape shape(params.rnn, 3, !params.resetAfter);
  return rnn::createKernels(graph, shape, parsed.product("TRAINING_FWD"), cache, {di, "weights"});
}

Tensor createWeightsBiases(poplar::Graph &graph, const GruParams &params,
                           const DebugContext &debugContext, const OptionFlags &options,
                           PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  check("gru::createWeightsBiases", params, options);
  auto t = graph.addVariable(params.rnn.dataType, biasShape(params), {di, "biases"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

GruWeights createWeights(poplar::Graph &graph, const GruParams &params,
                         const DebugContext &debugContext, const OptionFlags &options,
                         PlanningCache *cache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  auto [input, output] = createWeightsKernel(graph, params, {di}, options, cache);
  return {input, output, createWeightsBiases(graph, params, {di}, options, cache)};
}

Tensor createAttention(poplar::Graph &graph, const GruParams &params,
                       const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  const auto parsed = check("gru::createAttention", params, options);
  return rnn::createSequence(graph, params.rnn.dataType,
                             {params.rnn.maxTimeSteps, params.rnn.batchSize}, parsed.shards,
                             {di, "attention"})
      .transpose();
}

namespace {

Tensor addForward(poplar::Graph &graph, const Call &c, Tensor *intermediates, Sequence &prog,
                  const DebugContext &debugContext, const OptionFlags &options,
                  PlanningCache *cache) {
  PoplibsOpDebugInfo di(
      debugContext,
      {{"input", poputil::toProfileValue(c.input)}, {"options", poputil::toProfileValue(options)}},
      c.function);
  const auto parsed = check(c, options);
  const auto &p = c.params;
  auto output = rnn::createOutput(graph, p, parsed.shards, {di, "output"});
  rnn::Uses uses;
  uses.out(output);
  if (intermediates) {
    *intermediates =
        rnn::createSequence(graph, p.rnn.dataType, rnn::keptShape(p.rnn, shapeOf(p).kept()),
                            parsed.shards, {di, "intermediates"});
    uses.out(*intermediates, GruOf::HasIntermediates);
  }
  uses.in(c.input);
  uses.in(c.initial);
  rnn::inWeights(uses, c.weights, 0);
  inAttention(uses, c.attention);
  uses.inIf(c.allLengths(), GruOf::HasLengths);
  Extent extent;
  extent.intermediates = intermediates;
  extent.attention = c.attention;
  extent.masked = masked(c.allLengths());
  prog.add(openipu::operation(graph, {kernels::gruForward,
                                      uses.all(),
                                      rnn::attributes(shapeOf(p), uses),
                                      forwardPlan(graph.getTarget(), p, parsed, extent, cache),
                                      {di, "gruFwd"}}));
  di.addOutput(output);
  return output;
}

// Tensors of the forward pass, and where gradients go (null: not wanted).
struct Passed {
  const Tensor &intermediates, &output, &outputGrad;
  Tensor *inputGrad, *gateGrads, *attentionGrad;
  GruWeights *weightGrads;
};

void checkPassed(const Call &c, const Passed &b) {
  const auto type = c.params.rnn.dataType;
  rnn::checkTensor(c.function, "fwdIntermediates", b.intermediates, type,
                   rnn::keptShape(c.params.rnn, shapeOf(c.params).kept()));
  rnn::checkTensor(c.function, "the output", b.output, type, rnn::outputShape(c.params));
  rnn::checkTensor(c.function, "the gradient of the output", b.outputGrad, type,
                   rnn::outputShape(c.params));
}

Tensor addBackward(poplar::Graph &graph, const Call &c, const Passed &b, Sequence &prog,
                   const DebugContext &debugContext, const OptionFlags &options,
                   PlanningCache *cache) {
  PoplibsOpDebugInfo di(
      debugContext,
      {{"input", poputil::toProfileValue(c.input)}, {"options", poputil::toProfileValue(options)}},
      c.function);
  const auto parsed = check(c, options);
  checkPassed(c, b);
  const auto &p = c.params;
  auto sequence = [&](const std::vector<std::size_t> &shape, const char *name) {
    return rnn::createSequence(graph, p.rnn.dataType, shape, parsed.shards, {di, name});
  };
  Extent extent;
  extent.inputGradients = b.inputGrad && p.calcInputGradients;
  extent.gateGradients = b.gateGrads;
  extent.weights = b.weightGrads;
  extent.attention = c.attention;
  extent.masked = masked(c.allLengths());

  auto gradient = rnn::createState(graph, p.rnn, {di, "initialStateGrad"});
  rnn::Uses uses;
  uses.out(gradient);
  if (extent.inputGradients)
    uses.out(*b.inputGrad = sequence(rnn::inputShape(p.rnn), "inputGrad"),
             GruOf::WantsInputGradient);
  if (b.gateGrads)
    uses.out(*b.gateGrads =
                 sequence(rnn::keptShape(p.rnn, shapeOf(p).gradients()), "bwdIntermediates"),
             GruOf::WantsGateGradients);
  if (b.attentionGrad) {
    const auto gradients = sequence({p.rnn.maxTimeSteps, p.rnn.batchSize}, "attentionGrad");
    uses.out(gradients, GruOf::WantsAttentionGradient);
    *b.attentionGrad = gradients.transpose();
  }
  if (b.weightGrads) {
    uses.bits |= GruOf::WantsWeightGradients;
    *b.weightGrads = rnn::outWeights(graph, uses, c.weights, {di});
  }
  uses.in(c.initial);
  uses.in(b.intermediates);
  rnn::inWeights(uses, c.weights, 0);
  uses.in(c.input);
  uses.in(b.outputGrad);
  uses.inIf(p.outputFullSequence, b.output, GruOf::HasOutput);
  inAttention(uses, c.attention);
  uses.inIf(c.allLengths(), GruOf::HasLengths);
  prog.add(openipu::operation(graph, {kernels::gruBackward,
                                      uses.all(),
                                      rnn::attributes(shapeOf(p), uses),
                                      backwardPlan(graph.getTarget(), p, parsed, extent, cache),
                                      {di, "gruBwd"}}));
  di.addOutput(gradient);
  return gradient;
}

GruWeights addUpdate(poplar::Graph &graph, const Call &c, const Tensor &intermediates,
                     const Tensor &gateGrads, const Tensor &output, Sequence &prog,
                     const DebugContext &debugContext, const OptionFlags &options,
                     PlanningCache *cache) {
  PoplibsOpDebugInfo di(
      debugContext,
      {{"input", poputil::toProfileValue(c.input)}, {"options", poputil::toProfileValue(options)}},
      c.function);
  const auto parsed = check(c, options);
  checkPassed(c, {intermediates, output, output, nullptr, nullptr, nullptr, nullptr});
  const auto &p = c.params;
  rnn::checkTensor(c.function, "bwdIntermediates", gateGrads, p.rnn.dataType,
                   rnn::keptShape(p.rnn, shapeOf(p).gradients()));
  rnn::Uses uses;
  const auto gradients = rnn::outWeights(graph, uses, c.weights, {di});
  for (const auto &t : {c.initial, intermediates, gateGrads, c.input})
    uses.in(t);
  uses.inIf(p.outputFullSequence, output, GruOf::HasOutput);
  prog.add(openipu::operation(graph, {kernels::gruUpdate,
                                      uses.all(),
                                      rnn::attributes(shapeOf(p), uses),
                                      updatePlan(graph.getTarget(), p, parsed, cache),
                                      {di, "gruWU"}}));
  return gradients;
}

} // namespace

Tensor gruFwd(poplar::Graph &graph, const GruParams &params, const Tensor &stateInit,
              const Tensor &in, const GruWeights &weights, Tensor *intermediates, Sequence &fwdProg,
              const DebugContext &debugContext, const OptionFlags &options,
              PlanningCache *planningCache) {
  return addForward(graph, {"gru::gruFwd", params, stateInit, in, weights, nullptr, nullptr},
                    intermediates, fwdProg, debugContext, options, planningCache);
}

Tensor gruFwd(poplar::Graph &graph, const GruParams &params, const Tensor &stateInit,
              const Tensor &in, const Tensor &realTimeSteps, const GruWeights &weights,
              Tensor *intermediates, Sequence &fwdProg, const DebugContext &debugContext,
              const OptionFlags &options, PlanningCache *planningCache) {
  return addForward(graph, {"gru::gruFwd", params, stateInit, in, weights, &realTimeSteps, nullptr},
                    intermediates, fwdProg, debugContext, options, planningCache);
}

Tensor auGruFwd(poplar::Graph &graph, const GruParams &params, const Tensor &stateInit,
                const Tensor &in, const GruWeights &weights, Tensor *intermediates,
                const Tensor &attScores, Sequence &fwdProg, const DebugContext &debugContext,
                const OptionFlags &options, PlanningCache *planningCache) {
  return addForward(graph, {"gru::auGruFwd", params, stateInit, in, weights, nullptr, &attScores},
                    intermediates, fwdProg, debugContext, options, planningCache);
}

Tensor auGruFwd(poplar::Graph &graph, const GruParams &params, const Tensor &stateInit,
                const Tensor &in, const Tensor &realTimeSteps, const GruWeights &weights,
                Tensor *intermediates, const Tensor &attScores, Sequence &fwdProg,
                const DebugContext &debugContext, const OptionFlags &options,
                PlanningCache *planningCache) {
  return addForward(graph,
                    {"gru::auGruFwd", params, stateInit, in, weights, &realTimeSteps, &attScores},
                    intermediates, fwdProg, debugContext, options, planningCache);
}

Tensor gruBwd(poplar::Graph &graph, const GruParams &params, Sequence &prog,
              const Tensor &fwdOutputInit, const Tensor &fwdIntermediatesSeq,
              const GruWeights &weights, const Tensor &fwdInputSeq, const Tensor &fwdOutput,
              const Tensor &gradLayerNext, Tensor *inputGrad, Tensor *bwdIntermediates,
              const DebugContext &debugContext, const OptionFlags &options,
              PlanningCache *planningCache) {
  return addBackward(graph,
                     {"gru::gruBwd", params, fwdOutputInit, fwdInputSeq, weights, nullptr, nullptr},
                     {fwdIntermediatesSeq, fwdOutput, gradLayerNext, inputGrad, bwdIntermediates,
                      nullptr, nullptr},
                     prog, debugContext, options, planningCache);
}

Tensor gruBwd(poplar::Graph &graph, const GruParams &params, Sequence &prog,
              const Tensor &fwdOutputInit, const Tensor &fwdIntermediatesSeq,
              const GruWeights &weights, const Tensor &fwdInputSeq, const Tensor &realTimeSteps,
              const Tensor &fwdOutput, const Tensor &gradLayerNext, Tensor *inputGrad,
              Tensor *bwdIntermediates, const DebugContext &debugContext,
              const OptionFlags &options, PlanningCache *planningCache) {
  return addBackward(
      graph, {"gru::gruBwd", params, fwdOutputInit, fwdInputSeq, weights, &realTimeSteps, nullptr},
      {fwdIntermediatesSeq, fwdOutput, gradLayerNext, inputGrad, bwdIntermediates, nullptr,
       nullptr},
      prog, debugContext, options, planningCache);
}

Tensor auGruBwd(poplar::Graph &graph, const GruParams &params, Sequence &prog,
                const Tensor &fwdOutputInit, const Tensor &fwdIntermediatesSeq,
                const GruWeights &weights, const Tensor &fwdInputSeq, const Tensor &fwdOutput,
                const Tensor &gradLayerNext, Tensor *inputGrad, Tensor *bwdIntermediates,
                const Tensor &attentions, Tensor *attentionsGrad, const DebugContext &debugContext,
                const OptionFlags &options, PlanningCache *planningCache) {
  return addBackward(
      graph, {"gru::auGruBwd", params, fwdOutputInit, fwdInputSeq, weights, nullptr, &attentions},
      {fwdIntermediatesSeq, fwdOutput, gradLayerNext, inputGrad, bwdIntermediates, attentionsGrad,
       nullptr},
      prog, debugContext, options, planningCache);
}

Tensor auGruBwd(poplar::Graph &graph, const GruParams &params, Sequence &prog,
                const Tensor &fwdOutputInit, const Tensor &fwdIntermediatesSeq,
                const GruWeights &weights, const Tensor &fwdInputSeq, const Tensor &realTimeSteps,
                const Tensor &fwdOutput, const Tensor &gradLayerNext, Tensor *inputGrad,
                Tensor *bwdIntermediates, const Tensor &attentions, Tensor *attentionsGrad,
                const DebugContext &debugContext, const OptionFlags &options,
                PlanningCache *planningCache) {
  return addBackward(
      graph,
      {"gru::auGruBwd", params, fwdOutputInit, fwdInputSeq, weights, &realTimeSteps, &attentions},
      {fwdIntermediatesSeq, fwdOutput, gradLayerNext, inputGrad, bwdIntermediates, attentionsGrad,
       nullptr},
      prog, debugContext, options, planningCache);
}

Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params, Sequence &prog,
                    const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                    const GruWeights &weights, const Tensor &input, const Tensor &output,
                    const Tensor &outputGrad, Tensor *inputGrad, GruWeights &weightsGrad,
                    const DebugContext &debugContext, const OptionFlags &options,
                    PlanningCache *planningCache) {
  return addBackward(
      graph, {"gru::gruBwdWithWU", params, fwdOutputInit, input, weights, nullptr, nullptr},
      {fwdIntermediates, output, outputGrad, inputGrad, nullptr, nullptr, &weightsGrad}, prog,
      debugContext, options, planningCache);
}

Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params, Sequence &prog,
                    const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                    const GruWeights &weights, const Tensor &input, const Tensor &realTimeSteps,
                    const Tensor &output, const Tensor &outputGrad, Tensor *inputGrad,
                    GruWeights &weightsGrad, const DebugContext &debugContext,
                    const OptionFlags &options, PlanningCache *planningCache) {
  return addBackward(
      graph, {"gru::gruBwdWithWU", params, fwdOutputInit, input, weights, &realTimeSteps, nullptr},
      {fwdIntermediates, output, outputGrad, inputGrad, nullptr, nullptr, &weightsGrad}, prog,
      debugContext, options, planningCache);
}

Tensor auGruBwdWithWU(poplar::Graph &graph, const GruParams &params, Sequence &prog,
                      const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                      const GruWeights &weights, const Tensor &input, const Tensor &output,
                      const Tensor &outputGrad, Tensor *inputGrad, GruWeights &weightsGrad,
                      const Tensor &attentions, Tensor *attentionsGrad,
                      const DebugContext &debugContext, const OptionFlags &options,
                      PlanningCache *planningCache) {
  return addBackward(
      graph, {"gru::auGruBwdWithWU", params, fwdOutputInit, input, weights, nullptr, &attentions},
      {fwdIntermediates, output, outputGrad, inputGrad, nullptr, attentionsGrad, &weightsGrad},
      prog, debugContext, options, planningCache);
}

Tensor auGruBwdWithWU(poplar::Graph &graph, const GruParams &params, Sequence &prog,
                      const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                      const GruWeights &weights, const Tensor &input, const Tensor &realTimeSteps,
                      const Tensor &output, const Tensor &outputGrad, Tensor *inputGrad,
                      GruWeights &weightsGrad, const Tensor &attentions, Tensor *attentionsGrad,
                      const DebugContext &debugContext, const OptionFlags &options,
                      PlanningCache *planningCache) {
  return addBackward(
      graph,
      {"gru::auGruBwdWithWU", params, fwdOutputInit, input, weights, &realTimeSteps, &attentions},
      {fwdIntermediates, output, outputGrad, inputGrad, nullptr, attentionsGrad, &weightsGrad},
      prog, debugContext, options, planningCache);
}

GruWeights gruWU(poplar::Graph &graph, const GruParams &params, Sequence &prog,
                 const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                 const Tensor &bwdIntermediates, const GruWeights &weights, const Tensor &input,
                 const Tensor &output, const DebugContext &debugContext, const OptionFlags &options,
                 PlanningCache *planningCache) {
  return addUpdate(graph, {"gru::gruWU", params, fwdOutputInit, input, weights, nullptr, nullptr},
                   fwdIntermediates, bwdIntermediates, output, prog, debugContext, options,
                   planningCache);
}

GruWeights auGruWU(poplar::Graph &graph, const GruParams &params, Sequence &prog,
                   const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                   const Tensor &bwdIntermediates, const GruWeights &weights, const Tensor &input,
                   const Tensor &output, const DebugContext &debugContext,
                   const OptionFlags &options, PlanningCache *planningCache) {
  return addUpdate(graph, {"gru::auGruWU", params, fwdOutputInit, input, weights, nullptr, nullptr},
                   fwdIntermediates, bwdIntermediates, output, prog, debugContext, options,
                   planningCache);
}

std::vector<std::pair<poplin::MatMulParams, OptionFlags>>
getMatMulPrePlanParameters(GruParams params, OptionFlags opts) {
  const auto parsed = check("gru::getMatMulPrePlanParameters", params, opts);
  const rnn::Sizes s(params.rnn);
  rnn::Products products{params.rnn.dataType, parsed};
  if (params.resetAfter) {
    products.add("TRAINING_FWD", s.batch, s.in, 3 * s.out);
    products.add("TRAINING_FWD", s.batch, s.out, 3 * s.out);
  } else {
    products.add("TRAINING_FWD", s.batch, s.in + s.out, 2 * s.out);
    products.add("TRAINING_FWD", s.batch, s.in + s.out, s.out);
  }
  if (parsed.inferenceOnly)
    return products.list;
  products.add("TRAINING_BWD", s.batch, (params.resetAfter ? 3 : 2) * s.out, s.out);
  if (!params.resetAfter)
    products.add("TRAINING_BWD", s.batch, s.out, s.out);
  if (params.calcInputGradients)
    products.add("TRAINING_BWD", s.batch, 3 * s.out, s.in);
  products.add("TRAINING_WU", s.in, s.batch, 3 * s.out);
  products.add("TRAINING_WU", s.out, s.batch, 3 * s.out);
  return products.list;
}

namespace {
std::uint64_t products(const GruParams &p) {
  return rnn::productFlops(p.rnn, p.rnn.layerSizes[0] + p.rnn.layerSizes[1], 3);
}
} // namespace

// Biases 3 (6 with resetAfter), activations 3, reset 1 (2), blend 3.
std::uint64_t getBasicGruCellFwdFlops(const GruParams &params) {
  return products(params) + (params.resetAfter ? 14 : 10) * rnn::stateElements(params.rnn);
}
// Sums 3, products 5, activation gradients 3 of 3.
std::uint64_t getBasicGruCellBwdFlops(const GruParams &params) {
  return products(params) + 17 * rnn::stateElements(params.rnn);
}
std::uint64_t getBasicGruCellWuFlops(const GruParams &params) {
  return products(params) + (params.resetAfter ? 4 : 3) * rnn::stateElements(params.rnn);
}

} // namespace popnn::gru
