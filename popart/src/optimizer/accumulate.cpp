// SPDX-License-Identifier: MIT
// Gradients of micro-batches are added up, in accumulators or in velocities.
#include "optimizer/updates.hpp"

namespace popart::optimizer {

using ir::Pass;
using ir::Role;

void Updates::accumulate() {
  b_.pass = Pass::Backward;
  const bool running =
      context_.reduction == ReductionType::Mean && context_.mean == MeanReductionStrategy::Running;
  for (auto &group : grouped()) {
    place(*group[0]);
    const bool share = running && !group[0]->recipe.inVelocity;
    const Value factor = share ? runningShare(*group[0]) : ir::none;
    if (group[0]->shardedAccumulator)
      scatter(group);
    addAccumulate(group, factor);
  }
  for (const auto &[place, running] : running_) {
    b_.settings = running.settings;
    b_.op("Accumulate", {running.counter, b_.scalar(1, running.counter)});
  }
}

// 1 / (number of micro-batches so far), counted in every place where weights are.
Value Updates::runningShare(const Weight &w) {
  const auto [at, fresh] = running_.try_emplace(placeOf(w));
  auto &running = at->second;
  if (fresh) {
    running.counter =
        graph_.addVariable("Counter___", HostTensor::scalar(DataType::FLOAT, 0), Role::Accumulator);
    running.settings = b_.settings;
    running.settings.name = "Update/count";
    running.share = b_.reciprocal(b_.add(running.counter, 1));
  }
  return running.share;
}

void Updates::addAccumulate(const Group &group, Value share) {
  place(*group[0]);
  ir::Node node;
  node.def = &ops::opOf("Accumulate");
  Given given{node.attributes, {}, {}};
  const bool inVelocity = group[0]->recipe.inVelocity;
  for (auto *w : group)
    node.inputs.push_back(inVelocity ? w->velocity : accumulator(*w));
  for (auto *w : group)
    node.inputs.push_back(w->gradient);
  for (auto *w : group) // the weight is on the tiles, so that the accumulator can lie as it does
    if (!w->elsewhere)
      node.inputs.push_back(w->value);
  node.attributes.set("weights", static_cast<std::int64_t>(group.size()));
  if (inVelocity)
    give(given, *group[0], "dampeningScaleFactor1", "factor");
  if (share != ir::none) {
    node.attributes.set("kind", std::string("Mean"));
    given.value("factor", share);
  }
  finish(node, given);
  const auto made = b_.append(std::move(node), static_cast<unsigned>(group.size()));
  for (std::size_t i = 0; i < group.size(); ++i)
    group[i]->gradient = made[i];
}

Value Updates::accumulator(Weight &w) {
  const TensorInfo info(w.recipe.accumType, graph_[w.value].info.shape());
  const Value variable =
      graph_.addVariable("Accum___" + w.name, HostTensor::filled(info, 0), Role::Accumulator);
  graph_[variable].weight = w.variable;
  return w.accumulator = kept(variable, w, w.shardedAccumulator);
}

} // namespace popart::optimizer
