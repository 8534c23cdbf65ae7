// SPDX-License-Identifier: MIT
// What a GRU layer takes on the tiles: a loop over the steps. With the reset gate before the
// product a step has two products, one for the gates and one for the candidate; after it, one.
#include "gru/GruImpl.hpp"
#include "poplin/ProductPlan.hpp"
#include "poputil/OptionParsing.hpp"
#include "rnn/StepPlan.hpp"

namespace popnn::gru {

using popops::expr::BinaryOpType;
using rnn::Sizes;

Options parseOptions(const poplar::OptionFlags &options) {
  Options o;
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"inferenceOnly", OptionHandler::createWithBool(o.inferenceOnly)},
      {"partialsType", OptionHandler::createWithString(o.partialsType)},
      {"availableMemoryProportion", OptionHandler::createWithString(o.availableMemoryProportion)},
      {"numShards", OptionHandler::createWithInteger(o.shards)},
      {"rnnCodeReuse", OptionHandler::createWithBool(o.codeReuse)}};
  for (const auto &[name, value] : options)
    spec.parse(name, value);
  o.check();
  return o;
}

namespace {

void addProducts(rnn::StepPlan &plan, const GruParams &p, const Sizes &s, const Options &options,
                 poplin::PlanningCache *cache) {
  const auto flags = options.product("TRAINING_FWD");
  if (p.resetAfter) {
    plan.product("WeighInput", s.batch, s.in, 3 * s.out, flags, cache);
    plan.product("WeighState", s.batch, s.out, 3 * s.out, flags, cache);
    plan.binary("AddStateBias", BinaryOpType::ADD, 3 * s.state);
    plan.binary("AddGates", BinaryOpType::ADD, 2 * s.state);
  } else {
    plan.product("WeighGates", s.batch, s.in + s.out, 2 * s.out, flags, cache);
  }
  plan.binary("AddBias", BinaryOpType::ADD, 3 * s.state);
  plan.activate("Gates", p.recurrentActivation, 2 * s.state);
  plan.binary("Reset", BinaryOpType::MULTIPLY, s.state);
  if (p.resetAfter)
    plan.binary("AddCandidate", BinaryOpType::ADD, s.state);
  else
    plan.product("WeighCandidate", s.batch, s.in + s.out, s.out, flags, cache);
}

} // namespace

openipu::Plan forwardPlan(const poplar::Target &target, const GruParams &p, const Options &options,
                          const Extent &extent, poplin::PlanningCache *cache) {
  const Sizes s(p.rnn);
  rnn::StepPlan plan(target, p.rnn.dataType, s.steps);
  plan.slice("SliceInput", s.batch * s.in);
  addProducts(plan, p, s, options, cache);
  plan.activate("Candidate", p.activation, s.state);
  if (extent.attention) {
    plan.slice("SliceAttention", s.batch);
    plan.scaleRows("Attention", s.batch, s.out);
  }
  plan.binary("Blend/Subtract", BinaryOpType::SUBTRACT, s.state);
  plan.binary("Blend/Multiply", BinaryOpType::MULTIPLY, s.state);
  plan.binary("Blend/Add", BinaryOpType::ADD, s.state);
  if (extent.masked)
    plan.scaleRows("MaskOutput", s.batch, s.out);
  if (p.outputFullSequence)
    plan.update("StoreOutput", s.state);
  if (extent.intermediates)
    plan.update("StoreIntermediates", shapeOf(p).kept() * s.state);
  return rnn::inShards(plan.take(), s.steps, options.shards, options.codeReuse);
}

namespace {

void addUpdate(rnn::StepPlan &plan, const GruParams &p, const Sizes &s, const Options &options,
               poplin::PlanningCache *cache) {
  const auto flags = options.product("TRAINING_WU");
  plan.product("UpdateInput", s.in, s.batch, 3 * s.out, flags, cache);
  if (!p.resetAfter)
    plan.binary("Update/Reset", BinaryOpType::MULTIPLY, s.state);
  plan.product("UpdateState", s.out, s.batch, 3 * s.out, flags, cache);
  plan.accumulate("Accumulate", p.rnn.dataType, (s.in + s.out + (p.resetAfter ? 2 : 1)) * 3 * s.out,
                  1);
}

} // namespace

openipu::Plan backwardPlan(const poplar::Target &target, const GruParams &p, const Options &options,
                           const Extent &extent, poplin::PlanningCache *cache) {
  const Sizes s(p.rnn);
  const auto flags = options.product("TRAINING_BWD");
  rnn::StepPlan plan(target, p.rnn.dataType, s.steps);
  plan.slice("SliceIntermediates", shapeOf(p).kept() * s.state);
  if (p.outputFullSequence) {
    plan.slice("SliceOutputGradient", s.state);
    plan.slice("SliceOutput", s.state);
    plan.binary("AddOutputGradient", BinaryOpType::ADD, s.state);
  }
  plan.binary("Blend/Subtract", BinaryOpType::SUBTRACT, s.state);
  plan.binary("Blend/Multiply", BinaryOpType::MULTIPLY, 3 * s.state);
  if (extent.attention) {
    plan.slice("SliceAttention", s.batch);
    plan.scaleRows("Attention", s.batch, s.out);
    plan.binary("Attention/Sum", BinaryOpType::ADD, s.state);
  }
  plan.activationGradient("Update/Activation", p.recurrentActivation, s.state);
  plan.activationGradient("Candidate/Activation", p.activation, s.state);
  if (!p.resetAfter)
    plan.product("WeighCandidate", s.batch, s.out, s.out, flags, cache);
  plan.binary("Reset", BinaryOpType::MULTIPLY, 2 * s.state);
  plan.activationGradient("Reset/Activation", p.recurrentActivation, s.state);
  plan.product("WeighGates", s.batch, (p.resetAfter ? 3 : 2) * s.out, s.out, flags, cache);
  plan.binary("AddState", BinaryOpType::ADD, 2 * s.state);
  if (extent.masked)
    plan.scaleRows("MaskGradients", s.batch, 3 * s.out);
  if (extent.inputGradients) {
    plan.product("InputGradient", s.batch, 3 * s.out, s.in, flags, cache);
    plan.update("StoreInputGradient", s.batch * s.in);
  }
  if (extent.gateGradients)
    plan.update("StoreGateGradients", shapeOf(p).gradients() * s.state);
  if (extent.weights) {
    plan.slice("SliceInput", s.batch * s.in);
    addUpdate(plan, p, s, options, cache);
  }
  return rnn::inShards(plan.take(), s.steps, options.shards, options.codeReuse);
}

openipu::Plan updatePlan(const poplar::Target &target, const GruParams &p, const Options &options,
                         poplin::PlanningCache *cache) {
  const Sizes s(p.rnn);
  rnn::StepPlan plan(target, p.rnn.dataType, s.steps);
  plan.slice("SliceGateGradients", shapeOf(p).gradients() * s.state);
  plan.slice("SliceInput", s.batch * s.in);
  plan.slice("SliceOutput", s.state);
  addUpdate(plan, p, s, options, cache);
  return rnn::inShards(plan.take(), s.steps, options.shards, options.codeReuse);
}

} // namespace popnn::gru
