// SPDX-License-Identifier: MIT
// Plain recurrent layers: two kernels, forward and backward over any number of steps, and one that
// adds to the gradients of the weights. Device: a loop over the steps, as the other layers.
#include "popnn/Recurrent.hpp"
#include "base/Text.hpp"
#include "poplin/ProductPlan.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "rnn/Gates.hpp"
#include "rnn/Layer.hpp"
#include "rnn/Operands.hpp"
#include "rnn/StepPlan.hpp"
#include "rnn/Weights.hpp"

namespace popnn::rnn {

using openipu::KernelArgs;
using poplar::DebugContext;
using poplar::Tensor;
using poplar::program::Sequence;
using poplin::PlanningCache;
using poplin::dense::Floats;
using poplin::dense::FloatsOut;
using popops::expr::BinaryOpType;
using poputil::poplibs_error;
using poputil::PoplibsOpDebugInfo;

namespace {

enum Present : std::uint32_t {
  FromInput = 1,  // x and W, else x W
  Iterates = 2,   // else only x W is wanted
  HasState = 4,   // backward state of the step after
  WantsInput = 8, // gradient of the input
  WantsWeights = 16,
  WantsState = 32,
};

struct Attributes {
  std::uint32_t bits;
  NonLinearityType type;
  explicit Attributes(const KernelArgs &args) {
    openipu::AttributeReader reader(args.attributes);
    bits = reader.get<std::uint32_t>();
    type = reader.get<NonLinearityType>();
  }
  static std::string of(std::uint32_t bits, NonLinearityType type) {
    return openipu::AttributeWriter().put(bits).put(type).take();
  }
};

// y[steps][batch][out] = f(y + h U + b) in place, where y holds x W.
void iterate(NonLinearityType type, std::size_t steps, std::size_t batch, std::size_t out,
             const float *initial, const float *feedback, const float *biases,
             const openipu::Rounding *rounding, float *y) {
  const float *h = initial;
  for (std::size_t t = 0; t < steps && batch * out > 0; ++t, h = y, y += batch * out) {
    multiply(batch, out, out, matrix(h, out), matrix(feedback, out), matrix(y, out), 1);
    forElements(batch, 8 * out, [&](std::size_t e) {
      float *row = y + e * out;
      for (std::size_t k = 0; k < out; ++k)
        row[k] += biases[k];
      activate(type, row, out);
      if (rounding)
        roundToHalf(*rounding, t * batch + e, Rounded::Output, row, out);
    });
  }
}

void runForward(const KernelArgs &args) {
  const Attributes a(args);
  Operands ins(args.inputs);
  const FloatsOut y(args.outputs[0]);
  const auto &shape = args.outputs[0].shape;
  const std::size_t steps = shape[0], batch = shape[1], out = shape[2];
  const auto &first = ins.next();
  const Floats x(first);
  if (a.bits & FromInput) {
    const Floats w(ins.next());
    const auto in = first.shape[2];
    multiply(steps * batch, out, in, matrix(x.data(), in), matrix(w.data(), out),
             matrix(y.data(), out));
  } else {
    std::copy_n(x.data(), steps * batch * out, y.data());
  }
  if (a.bits & Iterates) {
    const Floats h(ins.next()), u(ins.next()), b(ins.next());
    iterate(a.type, steps, batch, out, h.data(), u.data(), b.data(),
            first.type == openipu::TypeId::Half ? &args.rounding : nullptr, y.data());
  }
  y.flush();
}

// state[t] = (dy[t] + state[t+1] U^T) f'(y[t]), from the last step to the first.
void iterateBack(NonLinearityType type, std::size_t steps, std::size_t batch, std::size_t out,
                 const float *dy, const float *y, const float *feedback, const float *after,
                 const openipu::Rounding *rounding, float *state) {
  for (auto t = batch * out > 0 ? steps : 0; t-- > 0;) {
    float *now = state + t * batch * out;
    std::copy_n(dy + t * batch * out, batch * out, now);
    if (after)
      multiply(batch, out, out, matrix(after, out), matrix(feedback, out).transposed(),
               matrix(now, out), 1);
    for (std::size_t e = 0; e < batch; ++e)
      multiplyByGradient(type, y + (t * batch + e) * out, now + e * out, out);
    if (rounding)
      roundToHalf(*rounding, t, Rounded::Gradient, now, batch * out);
    after = now;
  }
}

// Gradients of the weights from states and inputs of `rows` rows, added to or put into `to`.
void addDeltas(const float *state, const float *x, const float *previous, std::size_t rows,
               std::size_t in, std::size_t out, bool add, float *w, float *u) {
  if (w)
    multiply(in, out, rows, matrix(x, in).transposed(), matrix(state, out), matrix(w, out), add);
  if (u)
    multiply(out, out, rows, matrix(previous, out).transposed(), matrix(state, out), matrix(u, out),
             add);
}

void runBackward(const KernelArgs &args) {
  const Attributes a(args);
  Operands outs(args.outputs), ins(args.inputs);
  const auto &dyOperand = ins.next();
  const auto *rounding = dyOperand.type == openipu::TypeId::Half ? &args.rounding : nullptr;
  const std::size_t steps = dyOperand.shape[0], batch = dyOperand.shape[1],
                    out = dyOperand.shape[2];
  const Floats dy(dyOperand), y(ins.next()), u(ins.next());
  Floats after, w, x, h0;
  if (a.bits & HasState)
    after = Floats(ins.next());
  std::vector<float> own(steps * batch * out);
  iterateBack(a.type, steps, batch, out, dy.data(), y.data(), u.data(), after.data(), rounding,
              own.data());
  if (a.bits & WantsState) {
    const FloatsOut state(outs.next());
    std::copy(own.begin(), own.end(), state.data());
    state.flush();
  }
  if (a.bits & WantsInput) {
    w = Floats(ins.next());
    const auto &dxOperand = outs.next();
    const FloatsOut dx(dxOperand);
    const auto in = dxOperand.shape.back();
    multiply(steps * batch, in, out, matrix(own.data(), out), matrix(w.data(), out).transposed(),
             matrix(dx.data(), in));
    dx.flush();
  }
  if (a.bits & WantsWeights) {
    const auto &xOperand = ins.next();
    x = Floats(xOperand);
    h0 = Floats(ins.next());
    const auto in = xOperand.shape[2], first = std::min<std::size_t>(steps, 1) * batch;
    const FloatsOut dw(outs.next()), du(outs.next()), db(outs.next());
    addDeltas(own.data(), x.data(), nullptr, steps * batch, in, out, false, dw.data(), nullptr);
    addDeltas(own.data(), nullptr, h0.data(), first, in, out, false, nullptr, du.data());
    if (steps > 1)
      addDeltas(own.data() + first * out, nullptr, y.data(), steps * batch - first, in, out, true,
                nullptr, du.data());
    sumRows(own.data(), steps * batch, out, out, db.data());
    for (const auto *result : {&dw, &du, &db})
      result->flush();
  }
}

void runUpdate(const KernelArgs &args) {
  const Floats state(args.inputs[0]), x(args.inputs[1]), h(args.inputs[2]);
  const std::size_t batch = args.inputs[0].shape[0], out = args.inputs[0].shape[1],
                    in = args.inputs[1].shape[1];
  using poplin::dense::load;
  using poplin::dense::store;
  using poplin::dense::View;
  std::vector<float> w(out * in), u(out * out), b(out), sums(out);
  const View views[] = {View(args.outputs[0]), View(args.outputs[1]), View(args.outputs[2])};
  float *values[] = {w.data(), u.data(), b.data()};
  for (int i = 0; i < 3; ++i)
    load(views[i], values[i]);
  addDeltas(state.data(), x.data(), h.data(), batch, in, out, true, w.data(), u.data());
  sumRows(state.data(), batch, out, out, sums.data());
  for (std::size_t k = 0; k < out; ++k)
    b[k] += sums[k];
  for (int i = 0; i < 3; ++i)
    store(values[i], views[i]);
}

const openipu::Registered registeredForward{
    {"popnn.rnnForward", runForward, {}, {}, nullptr, openipu::alwaysGivesFloats}};
const openipu::Registered registeredBackward{
    {"popnn.rnnBackward", runBackward, {}, {}, nullptr, openipu::alwaysGivesFloats}};
const openipu::Registered registeredUpdate{
    {"popnn.rnnUpdate", runUpdate, {}, {}, nullptr, openipu::alwaysGivesFloats}};

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
  prog.add(openipu::operation(graph, {"popnn.rnnForward",
                                      uses.all(),
                                      Attributes::of(FromInput, NonLinearityType::TANH),
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
  prog.add(openipu::operation(graph, {"popnn.rnnForward",
                                      uses.all(),
                                      Attributes::of(Iterates, nonLinearityType),
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
    uses.inIf(true, HasState, *b.after);
  }
  if (b.state)
    uses.outIf(true, WantsState,
               *b.state = createSequence(graph, dType, {steps, batch, out}, 1, {context, "state"}));
  if (b.inputGrad) {
    uses.outIf(true, WantsInput,
               *b.inputGrad =
                   createSequence(graph, dType, {steps, batch, in}, 1, {context, "inputGrad"}));
    uses.in(*b.weights);
  }
  if (b.weightsGrad) {
    checkTensor(b.function, "the input", *b.input, dType, {steps, batch, in});
    checkTensor(b.function, "the initial state", *b.initial, dType, {batch, out});
    *b.weightsGrad = graph.clone(*b.weights, {context, "weightsGrad"});
    *b.feedbackGrad = graph.clone(b.feedback, {context, "feedbackGrad"});
    *b.biasesGrad = graph.addVariable(dType, {out}, {context, "biasesGrad"});
    poputil::mapTensorLinearly(graph, *b.biasesGrad);
    uses.bits |= WantsWeights;
    for (const auto *t : {b.weightsGrad, b.feedbackGrad, b.biasesGrad})
      uses.out(*t);
    uses.in(*b.input);
    uses.in(*b.initial);
  }
  prog.add(openipu::operation(graph, {"popnn.rnnBackward",
                                      uses.all(),
                                      Attributes::of(uses.bits, type),
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
      openipu::operation(graph, {"popnn.rnnUpdate", uses, {}, plan.take(), {di, "paramDelta"}}));
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
