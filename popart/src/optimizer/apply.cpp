// SPDX-License-Identifier: MIT
// Weights and states change, small weights that are alike together.
#include "optimizer/updates.hpp"

namespace popart::optimizer {

namespace {
constexpr std::int64_t smallWeight = 4096; // elements; smaller weights are updated together
constexpr std::int64_t groupElements = 1 << 16;
} // namespace

// Small weights that are alike go together, in the order of the first of each.
std::vector<Group> Updates::grouped() {
  std::vector<Group> out;
  std::map<std::string, std::pair<std::size_t, std::int64_t>> open; // group, elements
  for (auto &w : weights_) {
    const auto elements = graph_[w.value].info.nelms();
    if (w.recipe.alone || elements > smallWeight) {
      out.push_back({&w});
      continue;
    }
    auto it = open.find(w.alike);
    if (it == open.end() || it->second.second + elements > groupElements) {
      open[w.alike] = {out.size(), elements};
      out.push_back({&w});
    } else {
      out[it->second.first].push_back(&w);
      it->second.second += elements;
    }
  }
  return out;
}

void Updates::update(const Group &group) {
  const Weight &first = *group[0];
  place(first);
  ir::Node node;
  node.def = &ops::opOf(first.recipe.op);
  std::vector<std::string> states;
  for (const auto &state : first.recipe.states)
    states.push_back(state.name);
  node.attributes = {{"formula", first.recipe.formula}, {"states", states}};
  if (!first.recipe.corrected.empty())
    node.attributes.set("corrected", first.recipe.corrected);
  if (!first.recipe.gradientScaling.empty())
    node.attributes.set("scaledBy", first.recipe.gradientScaling);
  const auto whole = first.sharded ? enterParts(group) : std::vector<Values>();
  if (first.sharded && first.recipe.alone) // it takes norms
    node.attributes.set("collectiveCommGroup", groupNumbers(first.domain));
  const auto all = [&](auto pick) {
    for (auto *w : group)
      node.inputs.push_back(pick(*w));
  };
  all([](const Weight &w) { return w.value; });
  for (std::size_t i = 0; i < first.states.size(); ++i)
    all([&](const Weight &w) { return i == 0 && w.recipe.inVelocity ? w.gradient : w.states[i]; });
  std::size_t written = 1 + first.states.size();
  if (!first.recipe.inVelocity) {
    all([](const Weight &w) { return w.gradient; });
    written += context_.accumulation && first.sharded == first.shardedAccumulator;
  }
  for (std::size_t i = 0; i < first.corrections.size(); ++i)
    all([&](const Weight &w) { return w.corrections[i]; });
  node.attributes.set("weights", static_cast<std::int64_t>(group.size()));
  node.attributes.set("written", static_cast<std::int64_t>(written));
  node.attributes.set("perWeight", static_cast<std::int64_t>(first.corrections.size()));
  giveScalars(node, first);
  const auto made = b_.append(std::move(node), static_cast<unsigned>(written * group.size()));
  const auto updated = first.sharded ? leaveParts(group, whole, made) : made;
  for (std::size_t i = 0; i < group.size() && !first.shardedWeight; ++i)
    graph_.rename(updated[i], graph_.freeName("UpdatedVar___" + group[i]->name));
  if (first.accumulator != ir::none && first.sharded != first.shardedAccumulator)
    for (auto *w : group)
      b_.op("AccumulatorZero", {w->accumulator});
}

void Updates::giveScalars(ir::Node &node, const Weight &w) {
  Given given{node.attributes, {}, {}};
  for (const auto &[name, value, constant] : w.scalars)
    if (name != clipScaling && (!w.recipe.inVelocity || name != "dampeningScaleFactor1"))
      give(given, w, name, name);
  if (w.clip != ir::none)
    given.value("clipFactor", w.clip);
  if (lossFactor_ != ir::none)
    given.value("inverseLossScaleFactor", inverseFactor());
  finish(node, given);
}

Value Updates::inverseFactor() {
  if (inverseFactor_ == ir::none) {
    const auto kept = std::exchange(b_.settings, {});
    inverseFactor_ = b_.reciprocal(lossFactor_);
    b_.settings = kept;
  }
  return inverseFactor_;
}

} // namespace popart::optimizer
