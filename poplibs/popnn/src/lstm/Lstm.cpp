// SPDX-License-Identifier: MIT
// LSTM layers: parameters, tensors and the operations that run them.
#include "popnn/Lstm.hpp"
#include "lstm/LstmImpl.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/TileMapping.hpp"
#include "rnn/Notes.hpp"
#include "rnn/Weights.hpp"

namespace popnn::lstm {

using kernels::LstmOf;
using poplar::DebugContext;
using poplar::OptionFlags;
using poplar::Tensor;
using poplin::PlanningCache;
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

LstmOf shapeOf(const LstmParams &p, const Options &options) {
  LstmOf s;
  rnn::describe(p, s);
  s.recomputation = options.recomputation;
  s.preserveFinalState = p.preserveFinalState;
  s.useInput = p.doInputWeightCalc;
  return s;
}

namespace {

Options check(const char *function, const LstmParams &p, const OptionFlags &options) {
  rnn::checkCell(function, p, getDefaultBasicLstmCellOrder());
  auto parsed = parseOptions(options, p.rnn.dataType);
  rnn::checkShards(function, parsed.shards, p.rnn);
  return parsed;
}

void checkState(const char *function, const LstmParams &p, const LstmState &state) {
  rnn::checkTensor(function, "the output of the initial state", state.output, p.rnn.dataType,
                   rnn::stateShape(p.rnn));
  rnn::checkTensor(function, "the cell state of the initial state", state.cellState, p.rnn.dataType,
                   rnn::stateShape(p.rnn));
}

void checkWeights(const char *function, const LstmParams &p, const LstmWeights &w) {
  rnn::checkWeights(function, p.rnn, 4, p.doInputWeightCalc, {4, p.rnn.layerSizes[1]}, w);
}

} // namespace

Tensor createInput(poplar::Graph &graph, const LstmParams &params, const DebugContext &debugContext,
                   const OptionFlags &options, PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  const auto parsed = check("lstm::createInput", params, options);
  auto t = rnn::createSequence(graph, params.rnn.dataType, rnn::inputShape(params.rnn),
                               parsed.shards, {di, "input"});
  di.addOutput(t);
  return t;
}

Tensor createInitialOutput(poplar::Graph &graph, const LstmParams &params,
                           const DebugContext &debugContext, const OptionFlags &options,
                           PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  check("lstm::createInitialOutput", params, options);
  return rnn::createState(graph, params.rnn, {di, "initialOutput"});
}

Tensor createInitialCellState(poplar::Graph &graph, const LstmParams &params,
                              const DebugContext &debugContext, const OptionFlags &options,
                              PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(params.rnn, options));
  check("lstm::createInitialCellState", params, options);
  return rnn::createState(graph, params.rnn, {di, "initialCellState"});
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
  const rnn::WeightsShape shape(params.rnn, 4, params.doInputWeightCalc && !parsed.preCalcWeights);
  auto [input, output] =
      rnn::createKernels(graph, shape, parsed.product("TRAINING_FWD"), cache, {di, "weights"});
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
  rnn::checkTensor(here, "the input", in, params.rnn.dataType, rnn::inputShape(params.rnn));
  const auto s = shapeOf(params, parsed);

  auto output = rnn::createOutput(graph, params, parsed.shards, {di, "output"});
  auto cell = rnn::createState(graph, params.rnn, {di, "cellState"});
  rnn::Uses uses;
  uses.out(output);
  uses.out(cell);
  if (intermediates) {
    *intermediates =
        rnn::createSequence(graph, params.rnn.dataType, rnn::keptShape(params.rnn, s.kept()),
                            parsed.shards, {di, "intermediates"});
    if (s.kept())
      uses.out(*intermediates, LstmOf::HasIntermediates);
  }
  for (const auto &t : {in, stateInit.output, stateInit.cellState})
    uses.in(t);
  rnn::inWeights(uses, weights, LstmOf::HasInputWeights);
  uses.inIf(params.rnn.variableTimeSteps(), params.rnn.varTimeSteps, LstmOf::HasLengths);

  fwdProg.add(openipu::operation(
      graph, {kernels::lstmForward,
              uses.all(),
              rnn::attributes(s, uses),
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

void checkBackward(const LstmParams &p, const LstmOf &s, const Backward &b) {
  checkState(b.function, p, b.stateInit);
  checkWeights(b.function, p, b.weights);
  const auto type = p.rnn.dataType;
  rnn::checkTensor(b.function, "the input", b.input, type, rnn::inputShape(p.rnn));
  rnn::checkTensor(b.function, "the output", b.output, type, rnn::outputShape(p));
  rnn::checkTensor(b.function, "the gradient of the output", b.outputGrad, type,
                   rnn::outputShape(p));
  rnn::checkTensor(b.function, "fwdIntermediates (made with the same options?)", b.intermediates,
                   type, rnn::keptShape(p.rnn, s.kept()));
  for (const auto *t : {b.lastOutputGrad, b.lastCellGrad})
    if (t)
      rnn::checkTensor(b.function, "the gradient of the last state", *t, type,
                       rnn::stateShape(p.rnn));
}

LstmState addBackward(poplar::Graph &graph, const LstmParams &p, poplar::program::Sequence &prog,
                      const Backward &b, const DebugContext &context, const OptionFlags &options,
                      PlanningCache *cache) {
  const auto parsed = check(b.function, p, options);
  const auto s = shapeOf(p, parsed);
  checkBackward(p, s, b);
  const bool inputGradients = b.inputGrad && p.calcInputGradients && p.doInputWeightCalc;
  const bool update = b.weightGrads, recompute = s.recomputation == Recomputation::Full;

  LstmState gradient{rnn::createState(graph, p.rnn, {context, "initialOutputGrad"}),
                     rnn::createState(graph, p.rnn, {context, "initialCellStateGrad"})};
  rnn::Uses uses;
  uses.out(gradient.output);
  uses.out(gradient.cellState);
  if (inputGradients) {
    *b.inputGrad = rnn::createSequence(graph, p.rnn.dataType, rnn::inputShape(p.rnn), parsed.shards,
                                       {context, "inputGrad"});
    uses.out(*b.inputGrad, LstmOf::WantsInputGradient);
  }
  if (b.gateGrads) {
    *b.gateGrads = rnn::createSequence(graph, p.rnn.dataType, rnn::keptShape(p.rnn, 4),
                                       parsed.shards, {context, "bwdIntermediates"});
    uses.out(*b.gateGrads, LstmOf::WantsGateGradients);
  }
  if (update) {
    uses.bits |= LstmOf::WantsWeightGradients;
    *b.weightGrads = rnn::outWeights(graph, uses, b.weights, context);
  }
  uses.in(b.stateInit.output);
  uses.in(b.stateInit.cellState);
  uses.inIf(s.kept(), b.intermediates, LstmOf::HasIntermediates);
  rnn::inWeights(uses, b.weights, LstmOf::HasInputWeights);
  uses.inIf(update || recompute, b.input, LstmOf::HasInput);
  uses.inIf((update || recompute) && p.outputFullSequence, b.output, LstmOf::HasOutput);
  uses.in(b.outputGrad);
  uses.inIf(b.lastOutputGrad, LstmOf::HasLastOutput);
  uses.inIf(b.lastCellGrad, LstmOf::HasLastCell);
  uses.inIf(p.rnn.variableTimeSteps(), p.rnn.varTimeSteps, LstmOf::HasLengths);

  auto plan =
      backwardPlan(graph.getTarget(), p, parsed, inputGradients, b.gateGrads, update, cache);
  prog.add(openipu::operation(
      graph,
      {kernels::lstmBackward, uses.all(), rnn::attributes(s, uses), plan, {context, "lstmBwd"}}));
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
                   rnn::keptShape(params.rnn, 4));
  rnn::Uses uses;
  if (weights.inputWeights.valid())
    uses.bits |= LstmOf::HasInputWeights;
  const auto gradients = rnn::outWeights(graph, uses, weights, {di});
  uses.in(fwdStateInit.output);
  uses.in(bwdIntermediates);
  uses.inIf(!params.outputFullSequence, fwdIntermediates, LstmOf::HasIntermediates);
  uses.inIf(params.doInputWeightCalc, input, LstmOf::HasInput);
  uses.inIf(params.outputFullSequence, output, LstmOf::HasOutput);
  prog.add(openipu::operation(graph, {kernels::lstmUpdate,
                                      uses.all(),
                                      rnn::attributes(s, uses),
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
  const rnn::Sizes s(params.rnn);
  rnn::Products products{params.rnn.dataType, parsed};
  products.add("TRAINING_FWD", s.batch, stepDepth(params, parsed), 4 * s.out);
  if (params.doInputWeightCalc && parsed.preCalcWeights)
    products.add("TRAINING_FWD", s.steps * s.batch, s.in, 4 * s.out);
  if (parsed.inferenceOnly)
    return products.list;
  products.add("TRAINING_BWD", s.batch, 4 * s.out, s.out + (params.calcInputGradients ? s.in : 0));
  products.add("TRAINING_WU", s.out + (params.doInputWeightCalc ? s.in : 0),
               parsed.stepsPerUpdate * s.batch, 4 * s.out);
  return products.list;
}

namespace {
std::uint64_t products(const LstmParams &p) {
  const auto &sizes = p.rnn.layerSizes;
  return rnn::productFlops(p.rnn, (p.doInputWeightCalc ? sizes[0] : 0) + sizes[1], 4);
}
} // namespace

// Biases 4, activations 5, cell state 3, output 1 for every element of the state.
std::uint64_t getBasicLstmCellFwdFlops(const LstmParams &params) {
  return products(params) + 13 * rnn::stateElements(params.rnn);
}
// Sums 2, products 7, activation gradients 5 of 3.
std::uint64_t getBasicLstmCellBwdFlops(const LstmParams &params) {
  return products(params) + 24 * rnn::stateElements(params.rnn);
}
std::uint64_t getBasicLstmCellWuFlops(const LstmParams &params) {
  return products(params) + 4 * rnn::stateElements(params.rnn);
}

} // namespace popnn::lstm
