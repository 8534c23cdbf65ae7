// SPDX-License-Identifier: MIT
// Gradients of several weights are made smaller together, by the norm of all.
#include "optimizer/updates.hpp"

#include "base/Text.hpp"
#include <algorithm>
#include <popart/error.hpp>
#include <tuple>

namespace popart::optimizer {

void Updates::clip() {
  for (const auto &settings : optimizer_.getClipNormSettings()) {
    Group group;
    const auto &ids = settings.getWeightIds();
    const bool all = settings.getMode() == ClipNormSettings::Mode::ClipAllWeights;
    for (auto &w : weights_)
      if (all || std::find(ids.begin(), ids.end(), w.name) != ids.end())
        group.push_back(&w);
    if (!all && group.size() != ids.size())
      unknownWeight(ids);
    if (!group.empty())
      clipTogether(group, settings.getMaxNorm());
  }
}

[[noreturn]] void Updates::unknownWeight(const std::vector<TensorId> &ids) const {
  std::vector<std::string> names;
  for (const auto &w : weights_)
    names.push_back(w.name);
  for (const auto &id : ids)
    if (std::find(names.begin(), names.end(), id) == names.end())
      throw error(base::str("ClipNormSettings: \"", id, "\" is no weight that is trained.",
                            base::didYouMean(id, names)));
  throw internal_error("A weight is clipped twice.");
}

void Updates::clipTogether(const Group &group, float maxNorm) {
  std::map<std::tuple<std::int64_t, bool, ir::Integers>, Group> byIpu;
  for (auto *w : group)
    byIpu[{w->virtualGraph.value_or(-1), w->sharded, groupNumbers(w->domain)}].push_back(w);
  ir::Node node;
  node.def = &ops::opOf("ClipFactor");
  for (const auto &[ipu, weights] : byIpu) {
    place(*weights[0]);
    Values gradients;
    for (auto *w : weights)
      gradients.push_back(w->gradient);
    Value norm = b_.op("SquaredNorm", gradients);
    if (weights[0]->sharded)
      norm = b_.op("ReplicatedAllReduce", {norm}, shardAttributes(*weights[0]));
    node.inputs.push_back(norm);
  }
  node.attributes.set("maxNorm", maxNorm);
  Given given{node.attributes, {}, {}};
  // Of the loss scale alone, so that all weights share it.
  Weight shared;
  shared.scalars = scalarsOf(optimizer_, "", context_);
  give(given, shared, clipScaling, "gradientScaling");
  if (lossFactor_ != ir::none)
    given.value("inverseLossScaleFactor", inverseFactor());
  finish(node, given);
  const Value factor = b_.append(std::move(node), 1)[0];
  const std::string mark = base::str(" clip", factor.value);
  for (auto *w : group) {
    w->clip = factor;
    w->alike += mark;
  }
}

} // namespace popart::optimizer
