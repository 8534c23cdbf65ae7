// SPDX-License-Identifier: MIT
// What an LSTM layer takes on the tiles: a loop over the steps. A step slices the input, multiplies
// [batch][in + out] by the weights (only [batch][out] if the input's part was done for all steps
// beforehand), passes over the gates, and stores its output and what the backward pass needs.
#include "lstm/LstmImpl.hpp"
#include "poputil/OptionParsing.hpp"
#include "rnn/StepPlan.hpp"

namespace popnn::lstm {

using popops::expr::BinaryOpType;
using rnn::Sizes;

Options parseOptions(const poplar::OptionFlags &options, const poplar::Type &dataType) {
  Options o;
  o.accumulators = dataType;
  const std::map<std::string, Recomputation> modes{{"none", Recomputation::None},
                                                   {"cellAndTanh", Recomputation::CellAndTanh},
                                                   {"full", Recomputation::Full}};
  const std::map<std::string, poplar::Type> types{{"half", poplar::HALF}, {"float", poplar::FLOAT}};
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"inferenceOnly", OptionHandler::createWithBool(o.inferenceOnly)},
      {"preCalcWeights", OptionHandler::createWithBool(o.preCalcWeights)},
      {"partialsType", OptionHandler::createWithString(o.partialsType)},
      {"weightAccumulatorsType", OptionHandler::createWithEnum(o.accumulators, types)},
      {"recomputationMode", OptionHandler::createWithEnum(o.recomputation, modes)},
      {"availableMemoryProportion", OptionHandler::createWithString(o.availableMemoryProportion)},
      {"numShards", OptionHandler::createWithInteger(o.shards)},
      {"rnnCodeReuse", OptionHandler::createWithBool(o.codeReuse)},
      {"rnnStepsPerWU", OptionHandler::createWithInteger(o.stepsPerUpdate)},
      {"disableWUPartialInterleaving", OptionHandler::createWithBool(o.disableInterleaving)}};
  for (const auto &[name, value] : options)
    spec.parse(name, value);
  o.check();
  if (!o.stepsPerUpdate)
    throw poplar::invalid_option(
        "Invalid value '0' for option 'rnnStepsPerWU': it must be at least 1");
  return o;
}

std::size_t stepDepth(const LstmParams &p, const Options &options) {
  return p.rnn.layerSizes[1] +
         (p.doInputWeightCalc && !options.preCalcWeights ? p.rnn.layerSizes[0] : 0);
}

namespace {

// c' and its activation, from activated gates.
void addCell(rnn::StepPlan &plan, const LstmParams &p, const Sizes &s) {
  plan.binary("Cell/Forget", BinaryOpType::MULTIPLY, s.state);
  plan.binary("Cell/Input", BinaryOpType::MULTIPLY, s.state);
  plan.binary("Cell/Add", BinaryOpType::ADD, s.state);
  plan.activate("Cell/Activation", p.activation, s.state);
}

// Gates from weighted inputs and state, on.
void addGates(rnn::StepPlan &plan, const LstmParams &p, const Sizes &s, const Options &options,
              poplin::PlanningCache *cache) {
  plan.product("Weigh", s.batch, stepDepth(p, options), 4 * s.out, options.product("TRAINING_FWD"),
               cache);
  if (p.doInputWeightCalc && options.preCalcWeights)
    plan.binary("AddWeighedInput", BinaryOpType::ADD, 4 * s.state);
  plan.binary("AddBias", BinaryOpType::ADD, 4 * s.state);
  plan.activate("Gates", p.recurrentActivation, 3 * s.state);
  plan.activate("Candidate", p.activation, s.state);
  addCell(plan, p, s);
}

// Elements of a step that are kept for the backward pass.
std::size_t kept(const LstmParams &p, const Options &options, const Sizes &s) {
  return shapeOf(p, options).kept() * s.state;
}

void addForward(openipu::Plan &out, const poplar::Target &target, const LstmParams &p,
                const Options &options, poplin::PlanningCache *cache, rnn::StepPlan &plan) {
  const Sizes s(p.rnn);
  if (p.doInputWeightCalc && options.preCalcWeights) {
    rnn::StepPlan once(target, p.rnn.dataType, 1);
    once.product("WeighInputs", s.steps * s.batch, s.in, 4 * s.out, options.product("TRAINING_FWD"),
                 cache);
    out.append(once.take());
    plan.slice("SliceWeighedInput", 4 * s.state);
  } else if (p.doInputWeightCalc) {
    plan.slice("SliceInput", s.batch * s.in);
  }
  addGates(plan, p, s, options, cache);
}

} // namespace

openipu::Plan forwardPlan(const poplar::Target &target, const LstmParams &p, const Options &options,
                          bool keepsIntermediates, poplin::PlanningCache *cache) {
  const Sizes s(p.rnn);
  openipu::Plan out;
  rnn::StepPlan plan(target, p.rnn.dataType, s.steps);
  addForward(out, target, p, options, cache, plan);
  plan.binary("Output", BinaryOpType::MULTIPLY, s.state);
  if (p.rnn.batchVariableTimeSteps()) {
    plan.scaleRows("MaskOutput", s.batch, s.out);
    plan.scaleRows("MaskCell", s.batch, s.out);
  }
  if (p.outputFullSequence)
    plan.update("StoreOutput", s.state);
  if (keepsIntermediates)
    plan.update("StoreIntermediates", kept(p, options, s));
  out.append(rnn::inShards(plan.take(), s.steps, options.shards, options.codeReuse));
  return out;
}

namespace {

// The weights' part, `every` steps at a time.
void addUpdate(rnn::StepPlan &plan, const LstmParams &p, const Sizes &s, const Options &options,
               std::size_t every, poplin::PlanningCache *cache) {
  const auto depth = s.out + (p.doInputWeightCalc ? s.in : 0), weights = depth * 4 * s.out;
  plan.product("Update", depth, every * s.batch, 4 * s.out, options.product("TRAINING_WU"), cache,
               every);
  plan.accumulate("Accumulate", options.accumulators, weights + 4 * s.out, every);
  plan.cast("CastWeights", options.accumulators, weights + 4 * s.out);
}

void addStepGradients(rnn::StepPlan &plan, const LstmParams &p, const Sizes &s) {
  if (p.outputFullSequence) {
    plan.slice("SliceOutputGradient", s.state);
    plan.binary("AddOutputGradient", BinaryOpType::ADD, s.state);
  }
  plan.binary("Output/Cell", BinaryOpType::MULTIPLY, s.state);
  plan.activationGradient("Cell/Activation", p.activation, s.state);
  plan.binary("Cell/Add", BinaryOpType::ADD, s.state);
  plan.binary("Gates", BinaryOpType::MULTIPLY, 4 * s.state);
  plan.activationGradient("Gates/Activation", p.recurrentActivation, 3 * s.state);
  plan.activationGradient("Candidate/Activation", p.activation, s.state);
  plan.binary("Cell/Forget", BinaryOpType::MULTIPLY, s.state);
  if (p.rnn.batchVariableTimeSteps())
    plan.scaleRows("MaskGradients", s.batch, 4 * s.out);
}

} // namespace

openipu::Plan backwardPlan(const poplar::Target &target, const LstmParams &p,
                           const Options &options, bool inputGradients, bool keepsGateGradients,
                           bool updatesWeights, poplin::PlanningCache *cache) {
  const Sizes s(p.rnn);
  openipu::Plan out;
  rnn::StepPlan plan(target, p.rnn.dataType, s.steps);
  const auto keeps = kept(p, options, s);
  if (keeps)
    plan.slice("SliceIntermediates", keeps);
  if (options.recomputation == Recomputation::Full)
    addForward(out, target, p, options, cache, plan);
  else if (options.recomputation == Recomputation::CellAndTanh)
    addCell(plan, p, s);
  addStepGradients(plan, p, s);
  plan.product("Weigh", s.batch, 4 * s.out, s.out + (inputGradients ? s.in : 0),
               options.product("TRAINING_BWD"), cache);
  if (inputGradients)
    plan.update("StoreInputGradient", s.batch * s.in);
  const bool interleaved = updatesWeights && !options.disableInterleaving;
  if (keepsGateGradients || (updatesWeights && !interleaved))
    plan.update("StoreGateGradients", 4 * s.state);
  if (interleaved)
    addUpdate(plan, p, s, options,
              std::min(options.stepsPerUpdate, std::max(s.steps, std::size_t(1))), cache);
  out.append(rnn::inShards(plan.take(), s.steps, options.shards, options.codeReuse));
  if (updatesWeights && !interleaved)
    out.append(updatePlan(target, p, options, cache));
  return out;
}

openipu::Plan updatePlan(const poplar::Target &target, const LstmParams &p, const Options &options,
                         poplin::PlanningCache *cache) {
  const Sizes s(p.rnn);
  const auto every = std::min(options.stepsPerUpdate, std::max(s.steps, std::size_t(1)));
  rnn::StepPlan plan(target, p.rnn.dataType, s.steps);
  plan.slice("SliceGateGradients", 4 * s.state);
  if (p.doInputWeightCalc)
    plan.slice("SliceInput", s.batch * s.in);
  plan.slice("SliceOutput", s.state);
  addUpdate(plan, p, s, options, every, cache);
  return rnn::inShards(plan.take(), s.steps, options.shards, options.codeReuse);
}

} // namespace popnn::lstm
