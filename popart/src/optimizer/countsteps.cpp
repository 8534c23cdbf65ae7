// SPDX-License-Identifier: MIT
// How many updates there were, and what the biases of states are corrected by.
#include "openipu/Formula.hpp"
#include "optimizer/updates.hpp"

namespace popart::optimizer {

// All counts of an IPU at once, and the corrections by each beta.
void Updates::countSteps() {
  std::map<Place, Group> counted;
  for (auto &w : weights_)
    if (w.step != ir::none)
      counted[placeOf(w)].push_back(&w);
  for (const auto &[at, group] : counted)
    countSteps(group);
}

void Updates::countSteps(const Group &counted) {
  place(*counted[0]);
  Values steps;
  for (auto *w : counted)
    steps.push_back(w->step);
  const auto now = b_.ops("AdamStep", steps, static_cast<unsigned>(steps.size()),
                          {{"weights", static_cast<std::int64_t>(steps.size())}});
  for (std::size_t i = 0; i < counted.size(); ++i)
    counted[i]->step = now[i];
  std::map<std::string, Group> byValues;
  for (auto *w : counted)
    byValues[optimizer_.hasSpecific(w->name) ? w->name : ""].push_back(w);
  for (auto &[name, group] : byValues)
    for (const auto &name : group[0]->recipe.corrected)
      correct(group, *ops::argumentOf(name, "correction"));
}

void Updates::correct(const Group &group, const std::string &beta) {
  ir::Node node;
  node.def = &ops::opOf("BiasCorrection");
  for (auto *w : group)
    node.inputs.push_back(w->step);
  const auto &s = scalar(*group[0], beta);
  if (s.constant)
    node.attributes.set("beta", static_cast<float>(s.value));
  else
    node.inputs.push_back(scalarValue(*group[0], s));
  const auto made = b_.append(std::move(node), static_cast<unsigned>(group.size()));
  for (std::size_t i = 0; i < group.size(); ++i)
    group[i]->corrections.push_back(made[i]);
}

} // namespace popart::optimizer
