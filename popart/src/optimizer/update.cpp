// SPDX-License-Identifier: MIT
// From gradients to new weights, for every optimizer. A Recipe says what one weight's update is
// (its states, scalars and the node that does it); the files beside this one do all around it that
// depends on how the model runs. It is hard because these choices multiply: gradients may be
// accumulated over micro-batches, reduced over all replicas or a group of them, shared out so that
// each replica updates a part, clipped by a norm over all weights, unscaled; weights and states may
// be on the tiles, in a remote buffer, whole or in parts. Each is a step of Updates::add in this
// order and a file, which changes what Weight::gradient is, so that the next need not know what
// came before:
//
//   collect     dw                               accumulate  Accum___w += dw, each micro-batch
//   reduce      sum over replicas, or a part     makeWhole   whole where a part will not do
//   clip        times min(1, limit / norm)       update      w and its states, by the recipe
//
// Weights that are alike are updated by one node over all of them (grouped).
#include "optimizer/update.hpp"

#include "base/Text.hpp"
#include "optimizer/rule.hpp"
#include "optimizer/statistics.hpp"
#include "optimizer/updates.hpp"
#include <popart/error.hpp>

namespace popart::optimizer {

using ir::Pass;

void Updates::add(const autodiff::Gradients &gradients) {
  collect(gradients);
  if (weights_.empty() && !hasRule(graph_))
    return;
  if (context_.accumulation)
    accumulate();
  b_.pass = Pass::Update;
  if (context_.replicas > 1 && context_.reduction != ReductionType::NoReduction)
    reduce();
  makeWhole();
  if (hasRule(graph_))
    addOwnRule();
  else
    addOptimizer();
  for (const auto &[place, running] : running_) {
    b_.settings = running.settings;
    b_.op("AccumulatorZero", {running.counter});
  }
  if (lossFactor_ != ir::none)
    addLossScaleUpdate(graph_, context_);
}

void Updates::addOptimizer() {
  clip();
  countSteps();
  for (auto &group : grouped())
    update(group);
}

// The model says itself what becomes of gradients.
void Updates::addOwnRule() {
  std::map<Value, RuleInput> inputs;
  for (auto &w : weights_) {
    if (w.sharded)
      throw error(base::str("The weight \"", w.name,
                            "\" is shared out over replicas, which the model's own rule of "
                            "updates cannot do."));
    place(w);
    inputs[w.value] = {reduced(w), b_.settings};
  }
  optimizer::addRule(graph_, inputs);
  for (auto &w : weights_)
    if (w.accumulator != ir::none) {
      place(w);
      b_.op("AccumulatorZero", {w.accumulator});
    }
}

// The gradient without the scales that optimizers take off in their update.
Value Updates::reduced(const Weight &w) {
  Value out = w.gradient;
  const auto &scale = scalar(w, clipScaling);
  if (!scale.constant)
    out = b_.mul(out, b_.cast(scalarValue(w, scale), graph_[out].info.dataType()));
  else if (scale.value != 1)
    out = b_.mul(out, scale.value);
  if (lossFactor_ != ir::none)
    out = b_.mul(out, b_.cast(inverseFactor(), graph_[out].info.dataType()));
  return b_.cast(out, graph_[w.value].info.dataType());
}

void Updates::collect(const autodiff::Gradients &gradients) {
  const auto statistics = runningStatistics(graph_);
  const ir::Links links(graph_);
  const auto asked = weightsOfRule(graph_);
  for (const auto &[value, gradient] : gradients)
    if (!statistics.count(value) && (!hasRule(graph_) || asked.count(value)))
      weights_.push_back(described(links, value, gradient));
  for (auto &w : weights_)
    addState(w);
}

Weight Updates::described(const ir::Links &links, Value value, Value gradient) {
  const auto &data = graph_[value];
  if (data.info.dataType() != DataType::FLOAT && data.info.dataType() != DataType::FLOAT16)
    throw error(base::str("The weight \"", data.name, "\" has the type ",
                          nameOf(data.info.dataType()),
                          ", which cannot be trained. Weights are FLOAT or FLOAT16."));
  Weight w;
  w.variable = w.value = value;
  w.gradient = gradient;
  w.name = data.name;
  w.recipe = recipeOf(optimizer_, w.name, data.info.dataType(), context_);
  w.scalars = scalarsOf(optimizer_, w.recipe, w.name, context_);
  if (hasRule(graph_)) { // which has states of its own
    Recipe none;
    none.accumType = w.recipe.accumType;
    w.recipe = std::move(none);
  }
  if (!links.consumers[value.value].empty())
    w.virtualGraph = graph_.nodes[links.consumers[value.value][0]].settings.virtualGraph;
  if (links.producer[gradient.value] >= 0)
    w.stage = graph_.nodes[static_cast<std::size_t>(links.producer[gradient.value])]
                  .settings.pipelineStage;
  w.alike = base::str(w.recipe.op, ' ', data.info.dataType(), graph_[gradient].info.dataType(),
                      w.virtualGraph.value_or(-1), '.', w.stage.value_or(-1),
                      base::list(w.recipe.formula), w.recipe.states.size(),
                      optimizer_.hasSpecific(w.name) ? w.name : "");
  findShards(w);
  return w;
}

void Updates::place(const Weight &w) {
  b_.settings = {};
  b_.settings.virtualGraph = w.virtualGraph;
  b_.settings.pipelineStage = w.stage;
  b_.settings.name = "Update/" + w.name;
}

void addUpdates(ir::Graph &graph, const autodiff::Gradients &gradients, const Optimizer &optimizer,
                const Context &context, const std::map<TensorId, HostTensor> &state) {
  keepRunningStatistics(graph);
  Updates(graph, optimizer, context, state).add(gradients);
}

} // namespace popart::optimizer
