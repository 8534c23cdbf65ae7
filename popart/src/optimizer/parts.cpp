// SPDX-License-Identifier: MIT
// Replicas that share out a weight's update, its states or the weight itself: each works on a part.
#include "optimizer/updates.hpp"

#include "base/Text.hpp"
#include "transforms/memory/shards.hpp"
#include <popart/error.hpp>

namespace popart::optimizer {

using ir::Role;

void Updates::findShards(Weight &w) {
  const auto locate = [&](const TensorId &id, const TensorInfo &info, Role role) {
    const bool gathers = role == Role::OptimizerState && w.recipe.inVelocity;
    return context_.locations.of({id, info, role, w.name, gathers});
  };
  const auto elsewhere = [&](const TensorId &id, Role role) {
    const auto location = locate(id, graph_[w.value].info, role);
    return location.offChip || location.sharded;
  };
  bool state = false;
  for (const auto &s : w.recipe.states)
    state |= elsewhere(stateId(s.slot, w.name), Role::OptimizerState);
  w.elsewhere = elsewhere(w.name, Role::Weight) ||
                elsewhere("Accum___" + w.name, Role::Accumulator) || (state && w.recipe.inVelocity);
  w.alike += w.elsewhere ? " elsewhere" : "";
  w.alike += state ? " state elsewhere" : "";
  if (!context_.locations.mayShard())
    return;
  const Shape shape = graph_[w.value].info.shape();
  bool first = true;
  const auto sharded = [&](const TensorId &id, DataType type, Role role) {
    const auto location = locate(id, TensorInfo(type, shape), role);
    if (!location.sharded)
      return false;
    if (!first && location.domain != w.domain)
      throw error(base::str("\"", id,
                            "\" is shared out over other replicas than what else "
                            "belongs to the weight \"",
                            w.name, "\". Give all of them one sharding domain."));
    w.domain = location.domain;
    first = false;
    return true;
  };
  w.shardedWeight = sharded(w.name, graph_[w.value].info.dataType(), Role::Weight);
  w.sharded = w.shardedWeight;
  for (const auto &s : w.recipe.states) {
    w.shardedStates.push_back(sharded(stateId(s.slot, w.name), s.type, Role::OptimizerState));
    w.sharded |= w.shardedStates.back();
  }
  w.shardedAccumulator =
      context_.accumulation && sharded("Accum___" + w.name, w.recipe.accumType, Role::Accumulator);
  w.alike += base::str(' ', w.sharded, w.shardedAccumulator, w.shardedWeight, w.domain);
  for (const bool state : w.shardedStates)
    w.alike += state ? '1' : '0';
}

// The variable, or the one that has this replica's part of it.
Value Updates::kept(Value variable, const Weight &w, bool sharded) {
  return sharded
             ? transforms::addShard(graph_, variable, {false, true, w.domain}, context_.replicas)
             : variable;
}

ir::Attributes Updates::shardAttributes(const Weight &w) const {
  return transforms::shardAttributes(w.domain, context_.replicas);
}

// Gradients of one group, summed up, a part on every replica.
void Updates::scatter(const Group &group) {
  Values in;
  for (auto *w : group)
    in.push_back(w->gradient);
  auto out = b_.ops("ReplicatedReduceScatter", in, static_cast<unsigned>(in.size()),
                    shardAttributes(*group[0]));
  const auto across = analysis::across(group[0]->domain, context_.replicas);
  if (across.type != CommGroupType::None)
    out = b_.ops("ReplicatedAllReduce", out, static_cast<unsigned>(out.size()),
                 transforms::shardAttributes(across, context_.replicas));
  for (std::size_t i = 0; i < group.size(); ++i)
    group[i]->gradient = out[i];
}

Value Updates::whole(const Weight &w, Value part, const Shape &shape) {
  auto attributes = shardAttributes(w);
  attributes.set("shape", shape);
  return b_.op("ShardGather", {part}, std::move(attributes));
}

Value Updates::partOf(const Weight &w, Value whole) {
  constexpr std::int64_t local = 8; // the collective operator: nothing is added up
  auto attributes = shardAttributes(w);
  attributes.set("collectiveOp", local);
  return b_.op("ReplicatedReduceScatter", {whole}, std::move(attributes));
}

// Weights and states become their parts. Gives the variables that are to get the new value as a
// whole, by state and weight; none where only parts are kept.
std::vector<Values> Updates::enterParts(const Group &group) {
  std::vector<Values> whole(1 + group[0]->states.size());
  const auto part = [&](std::size_t k, const Weight &w, Value &variable, bool kept) {
    whole[k].push_back(kept ? ir::none : variable);
    if (!kept)
      variable = partOf(w, variable);
  };
  for (auto *w : group) {
    w->value = kept(w->value, *w, w->shardedWeight);
    part(0, *w, w->value, w->shardedWeight);
    for (std::size_t k = 0; k < w->states.size(); ++k)
      part(k + 1, *w, w->states[k], w->shardedStates[k]);
  }
  return whole;
}

// The new values of weights, of which the whole is put together if it is kept.
Values Updates::leaveParts(const Group &group, const std::vector<Values> &whole, Values made) {
  for (std::size_t k = 0; k < whole.size(); ++k)
    for (std::size_t i = 0; i < group.size(); ++i)
      if (const Value variable = whole[k][i]; variable != ir::none) {
        auto &part = made[k * group.size() + i];
        const Shape shape = graph_[variable].info.shape();
        part = b_.op("CopyVarUpdate", {variable, this->whole(*group[i], part, shape)});
      }
  return made;
}

// Gradients were accumulated in parts, but the update is of the whole.
void Updates::makeWhole() {
  for (auto &w : weights_)
    if (w.shardedAccumulator && !w.sharded) {
      place(w);
      w.gradient = whole(w, w.gradient, graph_[w.value].info.shape());
    }
}

} // namespace popart::optimizer
