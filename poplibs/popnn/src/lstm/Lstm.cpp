// SPDX-License-Identifier: MIT
// LSTM layers: parameters, tensors and the operations that run them.
#include "popnn/Lstm.hpp"
#include "base/Text.hpp"
#include "lstm/LstmImpl.hpp"
#include "poplin/ProductPlan.hpp"
#include "popnn/NonLinearityDefUtil.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "rnn/Layout.hpp"
#include "rnn/Notes.hpp"
#include "rnn/Operands.hpp"
#include "rnn/Weights.hpp"
#include <algorithm>

namespace popnn::lstm {

using poplar::DebugContext;
using poplar::OptionFlags;
using poplar::Tensor;
using poplin::PlanningCache;
using poputil::poplibs_error;
using poputil::PoplibsOpDebugInfo;

std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder() {
  return {BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_CANDIDATE,
          BASIC_LSTM_CELL_OUTPUT_GATE};
}

LstmParams::LstmParams(poplar::Type type, std::size_t batch, std::size_t steps,
                       std::vector<std::size_t> sizes, NonLinearityType activation_,
                       NonLinearityType recurrentActivation_)
    : rnn(type, batch, steps, sizes), dataType(type), batchSize(batch), timeSteps(steps),
      layerSizes(std::move(sizes)), activation(activation_),
      recurrentActivation(recurrentActivation_) {
  rnn::checkParams("LstmParams", rnn);
}

LstmParams::LstmParams(poplar::Type type, std::size_t batch, std::size_t maxSteps,
                       const Tensor &lengths, std::vector<std::size_t> sizes,
                       NonLinearityType activation_, NonLinearityType recurrentActivation_)
    : rnn(type, batch, maxSteps, lengths, sizes), dataType(type), batchSize(batch),
      timeSteps(maxSteps), layerSizes(std::move(sizes)), activation(activation_),
      recurrentActivation(recurrentActivation_) {
  rnn::checkParams("LstmParams", rnn);
}

Tensor LstmState::getAsTensor() const {
  return poplar::concat(output.expand({0}), cellState.expand({0}));
}

Shape shapeOf(const LstmParams &p, const Options &options) {
  Shape s;
  s.steps = p.rnn.maxTimeSteps;
  s.batch = p.rnn.batchSize;
  s.in = p.rnn.layerSizes[0];
  s.out = p.rnn.layerSizes[1];
  s.activation = p.activation;
  s.recurrentActivation = p.recurrentActivation;
  for (std::size_t i = 0; i < p.cellOrder.size(); ++i)
    s.column[p.cellOrder[i]] = std::uint8_t(i);
  s.recomputation = options.recomputation;
  s.fullSequence = p.outputFullSequence;
  s.preserveFinalState = p.preserveFinalState;
  s.useInput = p.doInputWeightCalc;
  s.isHalf = p.rnn.dataType == poplar::HALF;
  return s;
}

namespace {

void checkCellOrder(const char *function, std::vector<BasicLstmCellUnit> order) {
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != getDefaultBasicLstmCellOrder())
    throw poplibs_error(base::str(function, ": cellOrder ", base::list(order),
                                  " does not name each of the four units once."));
}

Options check(const char *function, const LstmParams &p, const OptionFlags &options) {
  rnn::checkParams(function, p.rnn);
  checkCellOrder(function, p.cellOrder);
  for (auto type : {p.activation, p.recurrentActivation})
    if (!rnn::isGateActivation(type))
      throw poplibs_error(
          base::str(function, ": a cell cannot use the activation ", asString(type),
                    "; use SIGMOID, HARD_SIGMOID, RELU, TANH, SOFTMAX or SOFTMAX_STABLE."));
  auto parsed = parseOptions(options, p.rnn.dataType);
  rnn::checkShards(function, parsed.shards, p.rnn);
  return parsed;
}

std::vector<std::size_t> stateShape(const LstmParams &p) {
  return {p.rnn.batchSize, p.rnn.layerSizes[1]};
}
std::vector<std::size_t> inputShape(const LstmParams &p) {
  return {p.rnn.maxTimeSteps, p.rnn.batchSize, p.rnn.layerSizes[0]};
}
std::vector<std::size_t> outputShape(const LstmParams &p) {
  if (!p.outputFullSequence)
    return stateShape(p);
  return {p.rnn.maxTimeSteps, p.rnn.batchSize, p.rnn.layerSizes[1]};
}
std::vector<std::size_t> keptShape(const LstmParams &p, std::size_t columns) {
  return {p.rnn.maxTimeSteps, p.rnn.batchSize, columns, p.rnn.layerSizes[1]};
}

void checkState(const char *function, const LstmParams &p, const LstmState &state) {
  rnn::checkTensor(function, "the output of the initial state", state.output, p.rnn.dataType,
                   stateShape(p));
  rnn::checkTensor(function, "the cell state of the initial state", state.cellState, p.rnn.dataType,
                   stateShape(p));
}

void checkWeights(const char *function, const LstmParams &p, const LstmWeights &w) {
  const auto in = p.rnn.layerSizes[0], out = p.rnn.layerSizes[1];
  if (p.doInputWeightCalc || w.inputWeights.valid())
    rnn::checkTensor(function, "inputWeights", w.inputWeights, p.rnn.dataType, {4, in, out});
  rnn::checkTensor(function, "outputWeights", w.outputWeights, p.rnn.dataType, {4, out, out});
  rnn::checkTensor(function, "biases", w.biases, p.rnn.dataType, {4, out});
}

Tensor createState(poplar::Graph &graph, const LstmParams &p, const DebugContext &context) {
  auto t = graph.addVariable(p.rnn.dataType, stateShape(p), context);
  poputil::mapTensorLinearly(graph, t, unsigned(rnn::stepGrain), unsigned(rnn::stepGrain));
  return t;
}

} // namespace

Tensor createInput(poplar::Graph &graph, const LstmParams &params, const DebugContext &debugContext,
                   const OptionFlags &options, PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  const auto parsed = check("lstm::createInput", params, options);
  auto t = rnn::createSequence(graph, params.rnn.dataType, inputShape(params), parsed.shards,
                               {di, "input"});
  di.addOutput(t);
  return t;
}

Tensor createInitialOutput(poplar::Graph &graph, const LstmParams &params,
                           const DebugContext &debugContext, const OptionFlags &options,
                           PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  check("lstm::createInitialOutput", params, options);
  return createState(graph, params, {di, "initialOutput"});
}

Tensor createInitialCellState(poplar::Graph &graph, const LstmParams &params,
                              const DebugContext &debugContext, const OptionFlags &options,
                              PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  check("lstm::createInitialCellState", params, options);
  return createState(graph, params, {di, "initialCellState"});
}

LstmState createInitialState(poplar::Graph &graph, const LstmParams &params,
                             const DebugContext &debugContext, const OptionFlags &options,
                             PlanningCache *cache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  return {createInitialOutput(graph, params, {di}, options, cache),
          createInitialCellState(graph, params, {di}, options, cache)};
}

void zeroInitialState(poplar::Graph &graph, const LstmState &initialState,
                      poplar::program::Sequence &prog, const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, {});
  rnn::zero(graph, {initialState.output, initialState.cellState}, prog, {di, "zero"});
}

std::pair<Tensor, Tensor> createWeightsKernel(poplar::Graph &graph, const LstmParams &params,
                                              const DebugContext &debugContext,
                                              const OptionFlags &options, PlanningCache *cache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  const auto parsed = check("lstm::createWeightsKernel", params, options);
  const rnn::WeightsShape shape{params.rnn.dataType,
                                params.rnn.batchSize,
                                params.rnn.layerSizes[0],
                                params.rnn.layerSizes[1],
                                4,
                                params.doInputWeightCalc && !parsed.preCalcWeights};
  auto [input, output] = rnn::createKernels(graph, shape, productOptions(parsed, "TRAINING_FWD"),
                                            cache, {di, "weights"});
  di.addOutputs({{"inputWeights", poputil::toProfileValue(input)},
                 {"outputWeights", poputil::toProfileValue(output)}});
  return {input, output};
}

Tensor createWeightsBiases(poplar::Graph &graph, const LstmParams &params,
                           const DebugContext &debugContext, const OptionFlags &options,
                           PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  check("lstm::createWeightsBiases", params, options);
  auto t = graph.addVariable(params.rnn.dataType, {4, params.rnn.layerSizes[1]}, {di, "biases"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

LstmWeights createWeights(poplar::Graph &graph, const LstmParams &params,
                          const DebugContext &debugContext, const OptionFlags &options,
                          PlanningCache *cache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  auto [input, output] = createWeightsKernel(graph, params, {di}, options, cache);
  return {input, output, createWeightsBiases(graph, params, {di}, options, cache)};
}

std::pair<Tensor, Tensor> lstmFwd(poplar::Graph &graph, const LstmParams &params,
                                  const LstmState &stateInit, const Tensor &in,
                                  const LstmWeights &weights, Tensor *intermediates,
                                  poplar::program::Sequence &fwdProg,
                                  const DebugContext &debugContext, const OptionFlags &options,
                                  PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, options));
  const char *here = "lstm::lstmFwd";
  const auto parsed = check(here, params, options);
  checkState(here, params, stateInit);
  checkWeights(here, params, weights);
  rnn::checkTensor(here, "the input", in, params.rnn.dataType, inputShape(params));
  const auto shape = shapeOf(params, parsed);

  auto output = params.outputFullSequence
                    ? rnn::createSequence(graph, params.rnn.dataType, outputShape(params),
                                          parsed.shards, {di, "output"})
                    : createState(graph, params, {di, "output"});
  auto cell = createState(graph, params, {di, "cellState"});
  rnn::Uses uses;
  uses.out(output);
  uses.out(cell);
  if (intermediates) {
    *intermediates =
        rnn::createSequence(graph, params.rnn.dataType, keptShape(params, shape.kept()),
                            parsed.shards, {di, "intermediates"});
    uses.outIf(shape.kept(), HasIntermediates, *intermediates);
  }
  for (const auto &t : {in, stateInit.output, stateInit.cellState})
    uses.in(t);
  uses.inIf(weights.inputWeights.valid(), HasInputWeights, weights.inputWeights);
  uses.in(weights.outputWeights);
  uses.in(weights.biases);
  uses.inIf(params.rnn.variableTimeSteps(), HasLengths, params.rnn.varTimeSteps);

  openipu::AttributeWriter attributes;
  write(attributes, shape);
  attributes.put(uses.bits);
  fwdProg.add(openipu::operation(
      graph, {"popnn.lstmForward",
              uses.all(),
              attributes.take(),
              forwardPlan(graph.getTarget(), params, parsed, intermediates, planningCache),
              {di, "lstmFwd"}}));
  di.addOutputs(
      {{"output", poputil::toProfileValue(output)}, {"cellState", poputil::toProfileValue(cell)}});
  return {output, cell};
}

namespace {

// Arguments that the backward functions share.
struct Backward {
  const char *function;
  const LstmState &stateInit;
  const Tensor &intermediates;
  const LstmWeights &weights;
  const Tensor &input, &output, &outputGrad;
  const Tensor *lastOutputGrad, *lastCellGrad;
  Tensor *inputGrad, *gateGrads;
  LstmWeights *weightGrads;
};

LstmWeights cloneWeights(poplar::Graph &graph, const LstmWeights &w, const DebugContext &context) {
  LstmWeights g;
  if (w.inputWeights.valid())
    g.inputWeights = graph.clone(w.inputWeights, {context, "inputWeightsGrad"});
  g.outputWeights = graph.clone(w.outputWeights, {context, "outputWeightsGrad"});
  g.biases = graph.clone(w.biases, {context, "biasesGrad"});
  return g;
}

void outWeights(rnn::Uses &uses, const LstmWeights &g) {
  if (g.inputWeights.valid())
    uses.out(g.inputWeights);
  uses.out(g.outputWeights);
  uses.out(g.biases);
}

void checkBackward(const LstmParams &p, const Shape &s, const Backward &b) {
  checkState(b.function, p, b.stateInit);
  checkWeights(b.function, p, b.weights);
  const auto type = p.rnn.dataType;
  rnn::checkTensor(b.function, "the input", b.input, type, inputShape(p));
  rnn::checkTensor(b.function, "the output", b.output, type, outputShape(p));
  rnn::checkTensor(b.function, "the gradient of the output", b.outputGrad, type, outputShape(p));
  rnn::checkTensor(b.function, "fwdIntermediates (made with the same options?)", b.intermediates,
                   type, keptShape(p, s.kept()));
  for (const auto *t : {b.lastOutputGrad, b.lastCellGrad})
    if (t)
      rnn::checkTensor(b.function, "the gradient of the last state", *t, type, stateShape(p));
}

LstmState addBackward(poplar::Graph &graph, const LstmParams &p, poplar::program::Sequence &prog,
                      const Backward &b, const DebugContext &context, const OptionFlags &options,
                      PlanningCache *cache) {
  const auto parsed = check(b.function, p, options);
  const auto s = shapeOf(p, parsed);
  checkBackward(p, s, b);
  const bool inputGradients = b.inputGrad && p.calcInputGradients && p.doInputWeightCalc;
  const bool update = b.weightGrads, recompute = s.recomputation == Recomputation::Full;

  LstmState gradient{createState(graph, p, {context, "initialOutputGrad"}),
                     createState(graph, p, {context, "initialCellStateGrad"})};
  rnn::Uses uses;
  uses.out(gradient.output);
  uses.out(gradient.cellState);
  if (inputGradients) {
    *b.inputGrad = rnn::createSequence(graph, p.rnn.dataType, inputShape(p), parsed.shards,
                                       {context, "inputGrad"});
    uses.outIf(true, WantsInputGradient, *b.inputGrad);
  }
  if (b.gateGrads) {
    *b.gateGrads = rnn::createSequence(graph, p.rnn.dataType, keptShape(p, 4), parsed.shards,
                                       {context, "bwdIntermediates"});
    uses.outIf(true, WantsGateGradients, *b.gateGrads);
  }
  if (update) {
    *b.weightGrads = cloneWeights(graph, b.weights, context);
    uses.bits |= WantsWeightGradients;
    outWeights(uses, *b.weightGrads);
  }
  uses.in(b.stateInit.output);
  uses.in(b.stateInit.cellState);
  uses.inIf(s.kept(), HasIntermediates, b.intermediates);
  uses.inIf(b.weights.inputWeights.valid(), HasInputWeights, b.weights.inputWeights);
  uses.in(b.weights.outputWeights);
  uses.in(b.weights.biases);
  uses.inIf(update || recompute, HasInput, b.input);
  uses.inIf((update || recompute) && p.outputFullSequence, HasOutput, b.output);
  uses.in(b.outputGrad);
  uses.inIf(b.lastOutputGrad, HasLastOutput, b.lastOutputGrad ? *b.lastOutputGrad : Tensor());
  uses.inIf(b.lastCellGrad, HasLastCell, b.lastCellGrad ? *b.lastCellGrad : Tensor());
  uses.inIf(p.rnn.variableTimeSteps(), HasLengths, p.rnn.varTimeSteps);

  openipu::AttributeWriter attributes;
  write(attributes, s);
  attributes.put(uses.bits);
  auto plan =
      backwardPlan(graph.getTarget(), p, parsed, inputGradients, b.gateGrads, update, cache);
  prog.add(openipu::operation(
      graph, {"popnn.lstmBackward", uses.all(), attributes.take(), plan, {context, "lstmBwd"}}));
  return gradient;
}

} // namespace

LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                  const LstmState &fwdStateInit, const Tensor &fwdIntermediates,
                  const LstmWeights &weights, const Tensor &input, const Tensor &output,
                  const Tensor &outputGrad, const LstmState *lastStepStateGrad, Tensor *inputGrad,
                  Tensor *bwdIntermediates, const DebugContext &debugContext,
                  const OptionFlags &options, PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, output, outputGrad, options));
  const auto *last = lastStepStateGrad;
  return addBackward(graph, params, prog,
                     {"lstm::lstmBwd", fwdStateInit, fwdIntermediates, weights, input, output,
                      outputGrad, last ? &last->output : nullptr, last ? &last->cellState : nullptr,
                      inputGrad, bwdIntermediates, nullptr},
                     {di}, options, planningCache);
}

LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                  const LstmState &fwdStateInit, const Tensor &fwdIntermediates,
                  const LstmWeights &weights, const Tensor &input, const Tensor &output,
                  const Tensor &outputGrad, const Tensor *lastCellStateGrad, Tensor *inputGrad,
                  Tensor *bwdIntermediates, const DebugContext &debugContext,
                  const OptionFlags &options, PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, output, outputGrad, options));
  return addBackward(graph, params, prog,
                     {"lstm::lstmBwd", fwdStateInit, fwdIntermediates, weights, input, output,
                      outputGrad, nullptr, lastCellStateGrad, inputGrad, bwdIntermediates, nullptr},
                     {di}, options, planningCache);
}

LstmWeights lstmWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                   const LstmState &fwdStateInit, const Tensor &fwdIntermediates,
                   const Tensor &bwdIntermediates, const LstmWeights &weights, const Tensor &input,
                   const Tensor &output, const DebugContext &debugContext,
                   const OptionFlags &options, PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, output, options));
  const char *here = "lstm::lstmWU";
  const auto parsed = check(here, params, options);
  const auto s = shapeOf(params, parsed);
  checkBackward(params, s,
                {here, fwdStateInit, fwdIntermediates, weights, input, output, output, nullptr,
                 nullptr, nullptr, nullptr, nullptr});
  rnn::checkTensor(here, "bwdIntermediates", bwdIntermediates, params.rnn.dataType,
                   keptShape(params, 4));
  auto gradients = cloneWeights(graph, weights, {di});
  rnn::Uses uses;
  if (weights.inputWeights.valid())
    uses.bits |= HasInputWeights;
  outWeights(uses, gradients);
  uses.in(fwdStateInit.output);
  uses.in(bwdIntermediates);
  uses.inIf(!params.outputFullSequence, HasIntermediates, fwdIntermediates);
  uses.inIf(params.doInputWeightCalc, HasInput, input);
  uses.inIf(params.outputFullSequence, HasOutput, output);
  openipu::AttributeWriter attributes;
  write(attributes, s);
  attributes.put(uses.bits);
  prog.add(openipu::operation(graph, {"popnn.lstmUpdate",
                                      uses.all(),
                                      attributes.take(),
                                      updatePlan(graph.getTarget(), params, parsed, planningCache),
                                      {di, "lstmWU"}}));
  return gradients;
}

LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params,
                        poplar::program::Sequence &prog, const LstmState &fwdStateInit,
                        const Tensor &fwdIntermediates, const LstmWeights &weights,
                        const Tensor &input, const Tensor &output, const Tensor &outputGrad,
                        const LstmState *lastStepStateGrad, Tensor *inputGrad,
                        LstmWeights &weightsGrad, const DebugContext &debugContext,
                        const OptionFlags &options, PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, output, outputGrad, options));
  const auto *last = lastStepStateGrad;
  return addBackward(graph, params, prog,
                     {"lstm::lstmBwdWithWU", fwdStateInit, fwdIntermediates, weights, input, output,
                      outputGrad, last ? &last->output : nullptr, last ? &last->cellState : nullptr,
                      inputGrad, nullptr, &weightsGrad},
                     {di}, options, planningCache);
}

LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params,
                        poplar::program::Sequence &prog, const LstmState &fwdStateInit,
                        const Tensor &fwdIntermediates, const LstmWeights &weights,
                        const Tensor &input, const Tensor &output, const Tensor &outputGrad,
                        const Tensor *lastCellStateGrad, Tensor *inputGrad,
                        LstmWeights &weightsGrad, const DebugContext &debugContext,
                        const OptionFlags &options, PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, output, outputGrad, options));
  return addBackward(graph, params, prog,
                     {"lstm::lstmBwdWithWU", fwdStateInit, fwdIntermediates, weights, input, output,
                      outputGrad, nullptr, lastCellStateGrad, inputGrad, nullptr, &weightsGrad},
                     {di}, options, planningCache);
}

std::vector<std::pair<poplin::MatMulParams, OptionFlags>>
getMatMulPrePlanParameters(LstmParams params, OptionFlags opts) {
  const auto parsed = check("lstm::getMatMulPrePlanParameters", params, opts);
  const auto type = params.rnn.dataType;
  const auto batch = params.rnn.batchSize, in = params.rnn.layerSizes[0],
             out = params.rnn.layerSizes[1], depth = stepDepth(params, parsed);
  std::vector<std::pair<poplin::MatMulParams, OptionFlags>> list;
  auto add = [&](const char *pass, std::size_t m, std::size_t k, std::size_t n) {
    auto flags = parsed.products;
    flags.set("fullyConnectedPass", parsed.inferenceOnly ? "INFERENCE_FWD" : pass);
    list.push_back({poplin::MatMulParams{type, type, {m, k}, {k, n}}, flags});
  };
  add("TRAINING_FWD", batch, depth, 4 * out);
  if (params.doInputWeightCalc && parsed.preCalcWeights)
    add("TRAINING_FWD", params.rnn.maxTimeSteps * batch, in, 4 * out);
  if (parsed.inferenceOnly)
    return list;
  add("TRAINING_BWD", batch, 4 * out, out + (params.calcInputGradients ? in : 0));
  add("TRAINING_WU", out + (params.doInputWeightCalc ? in : 0), parsed.stepsPerUpdate * batch,
      4 * out);
  return list;
}

namespace {
std::uint64_t products(const LstmParams &p) {
  const auto in = p.doInputWeightCalc ? p.rnn.layerSizes[0] : 0;
  return std::uint64_t(2) * p.rnn.maxTimeSteps * p.rnn.batchSize * (in + p.rnn.layerSizes[1]) * 4 *
         p.rnn.layerSizes[1];
}
std::uint64_t states(const LstmParams &p) {
  return std::uint64_t(p.rnn.maxTimeSteps) * p.rnn.batchSize * p.rnn.layerSizes[1];
}
} // namespace

// Biases 4, activations 5, cell state 3, output 1 for every element of the state.
std::uint64_t getBasicLstmCellFwdFlops(const LstmParams &params) {
  return products(params) + 13 * states(params);
}
// Sums 2, products 7, activation gradients 5 of 3.
std::uint64_t getBasicLstmCellBwdFlops(const LstmParams &params) {
  return products(params) + 24 * states(params);
}
std::uint64_t getBasicLstmCellWuFlops(const LstmParams &params) {
  return products(params) + 4 * states(params);
}

} // namespace popnn::lstm
