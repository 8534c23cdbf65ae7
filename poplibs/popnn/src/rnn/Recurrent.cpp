// SPDX-License-Identifier: MIT
// Plain recurrent layers: forward and backward over any number of steps, and adding to the
// gradients of the weights. Device: a loop over the steps, as the other layers.
#include "popnn/Recurrent.hpp"
#include "base/Text.hpp"
#include "poplin/ProductPlan.hpp"
#include "popnn/kernels/Recurrent.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "rnn/Layer.hpp"
#include "rnn/StepPlan.hpp"
#include "rnn/Weights.hpp"

namespace popnn::rnn {

using kernels::RnnOf;
using poplar::DebugContext;
using poplar::Tensor;
using poplar::program::Sequence;
using poplin::PlanningCache;
using popops::expr::BinaryOpType;
using poputil::poplibs_error;
using poputil::PoplibsOpDebugInfo;

namespace {

poplar::OptionFlags flagsOf(const poplar::Type &partials, bool inferenceOnly, const char *pass) {
  return {{"partialsType", partials.toString()},
          {"fullyConnectedPass", inferenceOnly ? "INFERENCE_FWD" : pass}};
}
poplin::ConvOptions optionsOf(const poplar::Type &partials, bool inferenceOnly, const char *pass) {
  return poplin::productOptions(flagsOf(partials, inferenceOnly, pass));
}

void checkType(const char *function, const poplar::Type &type) {
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw poplibs_error(base::str(function, ": the data type is ", type,
                                  " but recurrent layers compute in float or half."));
}
void checkRank(const char *function, const char *what, const Tensor &t, unsigned rank) {
  checkType(function, t.elementType());
  if (t.rank() != rank)
    throw poplibs_error(base::str(function, ": ", what, " has shape ", base::list(t.shape()),
                                  " but must have ", rank, " dimensions."));
}

} // namespace

Tensor createInput(poplar::Graph &graph, unsigned numSteps, unsigned batchSize, unsigned inputSize,
                   unsigned outputSize, const poplar::Type &dType, const poplar::Type &partialsType,
                   bool inferenceOnly, const DebugContext &debugContext, PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(numSteps, batchSize, inputSize, outputSize, dType,
                                              partialsType, inferenceOnly));
  checkType("rnn::createInput", dType);
  return createSequence(graph, dType, {numSteps, batchSize, inputSize}, 1, {di, "input"});
}

Tensor createFwdState(poplar::Graph &graph, const poplar::Type &dType, unsigned batchSize,
                      unsigned outputSize, Sequence &prog, bool initState, bool inferenceOnly,
                      const DebugContext &debugContext, PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(dType, batchSize, outputSize, inferenceOnly));
  checkType("rnn::createFwdState", dType);
  auto state = createState(graph, dType, {batchSize, outputSize}, {di, "fwdState"});
  if (initState)
    zero(graph, {state}, prog, {di, "zero"});
  return state;
}

Tensor getOutputFromFwdState(const Tensor &fwdState) { return fwdState; }

Tensor createWeightsInput(poplar::Graph &graph, unsigned sequenceSize, unsigned batchSize,
                          unsigned inputSize, unsigned outputSize, const poplar::Type &dType,
                          const poplar::Type &partialsType, bool inferenceOnly,
                          const DebugContext &debugContext, PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext,
                        DI_ARGS(sequenceSize, batchSize, inputSize, outputSize, dType));
  checkType("rnn::createWeightsInput", dType);
  return createMatrix(graph, dType, std::size_t(sequenceSize) * batchSize, inputSize, outputSize,
                      optionsOf(partialsType, inferenceOnly, "TRAINING_FWD"), planningCache,
                      {di, "weightsInput"});
}

Tensor createWeightsFeedback(poplar::Graph &graph, unsigned batchSize, unsigned outputSize,
                             const poplar::Type &dType, const poplar::Type &partialsType,
                             bool inferenceOnly, const DebugContext &debugContext,
                             PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(batchSize, outputSize, dType));
  checkType("rnn::createWeightsFeedback", dType);
  return createMatrix(graph, dType, batchSize, outputSize, outputSize,
                      optionsOf(partialsType, inferenceOnly, "TRAINING_FWD"), planningCache,
                      {di, "weightsFeedback"});
}

Tensor forwardWeightInput(poplar::Graph &graph, const Tensor &actIn, const Tensor &weights,
                          Sequence &prog, const poplar::Type &partialsType, bool inferenceOnly,
                          const DebugContext &debugContext, PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(actIn, weights));
  const char *here = "rnn::forwardWeightInput";
  checkRank(here, "actIn", actIn, 3);
  checkRank(here, "weights", weights, 2);
  const auto steps = actIn.dim(0), batch = actIn.dim(1), in = actIn.dim(2), out = weights.dim(1);
  checkTensor(here, "weights", weights, actIn.elementType(), {in, out});
  auto y = createSequence(graph, actIn.elementType(), {steps, batch, out}, 1, {di, "weighted"});
  auto plan = poplin::productPlan(
      graph.getTarget(), {1, steps * batch, in, out, actIn.elementType(), actIn.elementType()},
      optionsOf(partialsType, inferenceOnly, "TRAINING_FWD"), planningCache, "Weigh");
  Uses uses;
  uses.out(y);
  uses.in(actIn);
  uses.in(weights);
  prog.add(openipu::operation(graph, {kernels::rnnForward,
                                      uses.all(),
                                      RnnOf{RnnOf::FromInput, NonLinearityType::TANH}.write(),
                                      plan,
                                      {di, "weightInput"}}));
  return y;
}

Tensor forwardIterate(poplar::Graph &graph, const Tensor &feedFwdIn, const Tensor &initState,
                      const Tensor &feedbackWeights, const Tensor &biases, Sequence &prog,
                      NonLinearityType nonLinearityType, const poplar::Type &partialsType,
                      bool inferenceOnly, const DebugContext &debugContext,
                      PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(feedFwdIn, initState, feedbackWeights, biases));
  const char *here = "rnn::forwardIterate";
  checkActivation(here, "a recurrent layer", nonLinearityType);
  checkRank(here, "feedFwdIn", feedFwdIn, 3);
  const auto type = feedFwdIn.elementType();
  const auto steps = feedFwdIn.dim(0), batch = feedFwdIn.dim(1), out = feedFwdIn.dim(2);
  checkTensor(here, "initState", initState, type, {batch, out});
  checkTensor(here, "feedbackWeights", feedbackWeights, type, {out, out});
  checkTensor(here, "biases", biases, type, {out});
  auto y = createSequence(graph, type, {steps, batch, out}, 1, {di, "output"});
  StepPlan plan(graph.getTarget(), type, steps);
  plan.slice("Slice", batch * out);
  plan.product("Weigh", batch, out, out, optionsOf(partialsType, inferenceOnly, "TRAINING_FWD"),
               planningCache);
  plan.binary("AddInput", BinaryOpType::ADD, batch * out);
  plan.binary("AddBias", BinaryOpType::ADD, batch * out);
  plan.activate("Activation", nonLinearityType, batch * out);
  plan.update("Store", batch * out);
  Uses uses;
  uses.out(y);
  for (const auto &t : {feedFwdIn, initState, feedbackWeights, biases})
    uses.in(t);
  prog.add(openipu::operation(graph, {kernels::rnnForward,
                                      uses.all(),
                                      RnnOf{RnnOf::Iterates, nonLinearityType}.write(),
                                      plan.take(),
                                      {di, "iterate"}}));
  return y;
}

Tensor createBwdState(poplar::Graph &graph, const poplar::Type &dType, unsigned batchSize,
                      unsigned outputSize, Sequence &prog, const DebugContext &debugContext,
                      PlanningCache *) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(dType, batchSize, outputSize));
  checkType("rnn::createBwdState", dType);
  auto state = createState(graph, dType, {batchSize, outputSize}, {di, "bwdState"});
  zero(graph, {state}, prog, {di, "zero"});
  return state;
}

namespace {

// Sequences [steps][batch][...]; null tensors are left out or not wanted.
struct Backward {
  const char *function;
  const Tensor &outGradient, &output, &feedback;
  const Tensor *weights, *after, *input, *initial;
  Tensor *inputGrad, *state, *weightsGrad, *feedbackGrad, *biasesGrad;
};

openipu::Plan backwardPlan(const poplar::Target &target, const Backward &b, NonLinearityType type,
                           const poplar::Type &partials, PlanningCache *cache) {
  const auto steps = b.outGradient.dim(0), batch = b.outGradient.dim(1), out = b.outGradient.dim(2);
  StepPlan plan(target, b.outGradient.elementType(), steps);
  plan.slice("SliceGradient", batch * out);
  plan.slice("SliceOutput", batch * out);
  plan.product("Weigh", batch, out, out, optionsOf(partials, false, "TRAINING_BWD"), cache);
  plan.binary("AddGradient", BinaryOpType::ADD, batch * out);
  plan.activationGradient("Activation", type, batch * out);
  if (b.inputGrad) {
    plan.product("InputGradient", batch, out, b.weights->dim(0),
                 optionsOf(partials, false, "TRAINING_BWD"), cache);
    plan.update("StoreInputGradient", batch * b.weights->dim(0));
  }
  if (b.weightsGrad) {
    const auto depth = b.input->dim(2) + out;
    plan.slice("SliceInput", batch * b.input->dim(2));
    plan.product("Update", out, batch, depth, optionsOf(partials, false, "TRAINING_WU"), cache);
    plan.accumulate("Accumulate", b.outGradient.elementType(), out * (depth + 1), 1);
  }
  return plan.take();
}

void addBackward(poplar::Graph &graph, const Backward &b, Sequence &prog, NonLinearityType type,
                 const poplar::Type &partials, const DebugContext &context, PlanningCache *cache) {
  checkActivation(b.function, "a recurrent layer", type);
  checkRank(b.function, "the gradient of the output", b.outGradient, 3);
  const auto dType = b.outGradient.elementType();
  const auto steps = b.outGradient.dim(0), batch = b.outGradient.dim(1), out = b.outGradient.dim(2);
  checkTensor(b.function, "the output", b.output, dType, b.outGradient.shape());
  checkTensor(b.function, "the feedback weights", b.feedback, dType, {out, out});
  std::size_t in = 0;
  if (b.weights) {
    checkRank(b.function, "the input's weights", *b.weights, 2);
    in = b.weights->dim(0);
    checkTensor(b.function, "the input's weights", *b.weights, dType, {in, out});
  }
  Uses uses;
  for (const auto &t : {b.outGradient, b.output, b.feedback})
    uses.in(t);
  if (b.after) {
    checkTensor(b.function, "the backward state", *b.after, dType, {batch, out});
    uses.in(*b.after, RnnOf::HasState);
  }
  if (b.state)
    uses.out(*b.state = createSequence(graph, dType, {steps, batch, out}, 1, {context, "state"}),
             RnnOf::WantsState);
  if (b.inputGrad) {
    uses.out(*b.inputGrad =
                 createSequence(graph, dType, {steps, batch, in}, 1, {context, "inputGrad"}),
             RnnOf::WantsInput);
    uses.in(*b.weights);
  }
  if (b.weightsGrad) {
    checkTensor(b.function, "the input", *b.input, dType, {steps, batch, in});
    checkTensor(b.function, "the initial state", *b.initial, dType, {batch, out});
    *b.weightsGrad = graph.clone(*b.weights, {context, "weightsGrad"});
    *b.feedbackGrad = graph.clone(b.feedback, {context, "feedbackGrad"});
    *b.biasesGrad = graph.addVariable(dType, {out}, {context, "biasesGrad"});
    poputil::mapTensorLinearly(graph, *b.biasesGrad);
    uses.bits |= RnnOf::WantsWeights;
    for (const auto *t : {b.weightsGrad, b.feedbackGrad, b.biasesGrad})
      uses.out(*t);
    uses.in(*b.input);
    uses.in(*b.initial);
  }
  prog.add(openipu::operation(graph, {kernels::rnnBackward,
                                      uses.all(),
                                      RnnOf{uses.bits, type}.write(),
                                      backwardPlan(graph.getTarget(), b, type, partials, cache),
                                      {context, "backward"}}));
}

} // namespace

std::pair<Tensor, Tensor>
backwardGradientStep(poplar::Graph &graph, const Tensor &nextLayerGrad, const Tensor &bwdState,
                     const Tensor &actOut, const Tensor &weightsInput,
                     const Tensor &weightsFeedback, Sequence &prog,
                     NonLinearityType nonLinearityType, const poplar::Type &partialsType,
                     const DebugContext &debugContext, PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(nextLayerGrad, bwdState, actOut));
  const char *here = "rnn::backwardGradientStep";
  checkRank(here, "nextLayerGrad", nextLayerGrad, 2);
  checkRank(here, "actOut", actOut, 2);
  Tensor inputGrad, state;
  const auto gradient = nextLayerGrad.expand({0}), output = actOut.expand({0});
  addBackward(graph,
              {here, gradient, output, weightsFeedback, &weightsInput, &bwdState, nullptr, nullptr,
               &inputGrad, &state, nullptr, nullptr, nullptr},
              prog, nonLinearityType, partialsType, {di}, planningCache);
  return {inputGrad[0], state[0]};
}

Tensor backwardGradientStep(poplar::Graph &graph, const Tensor &nextLayerGrad,
                            const Tensor &bwdState, const Tensor &actOut,
                            const Tensor &weightsFeedback, Sequence &prog,
                            NonLinearityType nonLinearityType, const poplar::Type &partialsType,
                            const DebugContext &debugContext, PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(nextLayerGrad, bwdState, actOut));
  const char *here = "rnn::backwardGradientStep";
  checkRank(here, "nextLayerGrad", nextLayerGrad, 2);
  checkRank(here, "actOut", actOut, 2);
  Tensor state;
  const auto gradient = nextLayerGrad.expand({0}), output = actOut.expand({0});
  addBackward(graph,
              {here, gradient, output, weightsFeedback, nullptr, &bwdState, nullptr, nullptr,
               nullptr, &state, nullptr, nullptr, nullptr},
              prog, nonLinearityType, partialsType, {di}, planningCache);
  return state[0];
}

void paramDeltaUpdate(poplar::Graph &graph, const Tensor &bwdState, const Tensor &actIn,
                      const Tensor &prevOut, Tensor &weightsInputDeltasAcc,
                      Tensor &weightsFeedbackDeltasAcc, Tensor &biasesDeltasAcc, Sequence &prog,
                      const poplar::Type &partialsType, const DebugContext &debugContext,
                      PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(bwdState, actIn, prevOut));
  const char *here = "rnn::paramDeltaUpdate";
  checkRank(here, "bwdState", bwdState, 2);
  checkRank(here, "actIn", actIn, 2);
  const auto batch = bwdState.dim(0), out = bwdState.dim(1), in = actIn.dim(1);
  const auto type = bwdState.elementType();
  checkTensor(here, "actIn", actIn, type, {batch, in});
  checkTensor(here, "prevOut", prevOut, type, {batch, out});
  checkTensor(here, "weightsInputDeltasAcc", weightsInputDeltasAcc,
              weightsInputDeltasAcc.elementType(), {in, out});
  checkTensor(here, "weightsFeedbackDeltasAcc", weightsFeedbackDeltasAcc,
              weightsFeedbackDeltasAcc.elementType(), {out, out});
  checkTensor(here, "biasesDeltasAcc", biasesDeltasAcc, biasesDeltasAcc.elementType(), {out});
  StepPlan plan(graph.getTarget(), type, 1);
  plan.product("Update", out, batch, in + out, optionsOf(partialsType, false, "TRAINING_WU"),
               planningCache);
  plan.accumulate("Accumulate", type, out * (in + out + 1), 1);
  std::vector<openipu::Used> uses;
  for (const auto *t : {&weightsInputDeltasAcc, &weightsFeedbackDeltasAcc, &biasesDeltasAcc})
    uses.push_back(openipu::inOut(*t));
  for (const auto &t : {bwdState, actIn, prevOut})
    uses.push_back(openipu::in(t));
  prog.add(
      openipu::operation(graph, {kernels::rnnUpdate, uses, {}, plan.take(), {di, "paramDelta"}}));
}

Tensor rnnFwdSequence(poplar::Graph &graph, Sequence &prog, const Tensor &fwdStateInit,
                      const Tensor *weightedIn, const Tensor &biases, const Tensor &feedFwdWeights,
                      const Tensor &feedbackWeights, const Tensor &prevLayerActs,
                      const NonLinearityType &nonLinearityType, const poplar::Type &partialsType,
                      bool inferenceOnly, const DebugContext &debugContext,
                      PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(fwdStateInit, biases, feedbackWeights));
  const auto weighted = weightedIn
                            ? *weightedIn
                            : forwardWeightInput(graph, prevLayerActs, feedFwdWeights, prog,
                                                 partialsType, inferenceOnly, {di}, planningCache);
  return forwardIterate(graph, weighted, fwdStateInit, feedbackWeights, biases, prog,
                        nonLinearityType, partialsType, inferenceOnly, {di}, planningCache);
}

std::tuple<Tensor, Tensor, Tensor, Tensor>
rnnBwdSequence(poplar::Graph &graph, bool doWU, bool ignoreInputGradientCalc, Sequence &prog,
               const Tensor &fwdStateInit, const Tensor &fwdState, const Tensor &biases,
               const Tensor &feedFwdWeights, const Tensor &feedbackWeights,
               const Tensor &outGradient, const Tensor &actIn,
               const NonLinearityType &nonLinearityType, const poplar::Type &partialsType,
               const DebugContext &debugContext, PlanningCache *planningCache) {
  PoplibsOpDebugInfo di(debugContext,
                        DI_ARGS(doWU, ignoreInputGradientCalc, fwdState, outGradient));
  const char *here = "rnn::rnnBwdSequence";
  checkRank(here, "outGradient", outGradient, 3);
  checkTensor(here, "biases", biases, outGradient.elementType(), {outGradient.dim(2)});
  Tensor inputGrad, w, u, b;
  addBackward(graph,
              {here, outGradient, fwdState, feedbackWeights, &feedFwdWeights, nullptr, &actIn,
               &fwdStateInit, ignoreInputGradientCalc ? nullptr : &inputGrad, nullptr,
               doWU ? &w : nullptr, doWU ? &u : nullptr, doWU ? &b : nullptr},
              prog, nonLinearityType, partialsType, {di}, planningCache);
  return {inputGrad, w, u, b};
}

std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(std::size_t numSteps, std::size_t batchSize, std::size_t inputSize,
                           std::size_t outputSize, const poplar::Type &dType,
                           const poplar::Type &partialsType, bool inferenceOnly,
                           bool hasFeedforwardWeights) {
  std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>> list;
  auto add = [&](const char *pass, std::size_t m, std::size_t k, std::size_t n) {
    list.push_back({poplin::MatMulParams{dType, dType, {m, k}, {k, n}},
                    flagsOf(partialsType, inferenceOnly, pass)});
  };
  if (hasFeedforwardWeights)
    add("TRAINING_FWD", numSteps * batchSize, inputSize, outputSize);
  add("TRAINING_FWD", batchSize, outputSize, outputSize);
  if (inferenceOnly)
    return list;
  add("TRAINING_BWD", batchSize, outputSize, outputSize);
  if (hasFeedforwardWeights)
    add("TRAINING_BWD", batchSize, outputSize, inputSize);
  add("TRAINING_WU", outputSize, batchSize, inputSize + outputSize);
  return list;
}

std::uint64_t getFwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                          unsigned outputSize, bool weightInput) {
  const auto depth = std::uint64_t(outputSize) + (weightInput ? inputSize : 0);
  return std::uint64_t(sequenceSize) * batchSize * outputSize * (2 * depth + 3);
}
std::uint64_t getBwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                          unsigned outputSize, bool calcInputGrad) {
  const auto depth = std::uint64_t(outputSize) + (calcInputGrad ? inputSize : 0);
  return std::uint64_t(sequenceSize) * batchSize * outputSize * (2 * depth + 4);
}
std::uint64_t getWuFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                         unsigned outputSize) {
  return std::uint64_t(sequenceSize) * batchSize * outputSize *
         (2 * (std::uint64_t(inputSize) + outputSize) + 1);
}

} // namespace popnn::rnn
