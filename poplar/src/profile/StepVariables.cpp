// SPDX-License-Identifier: MIT
#include "profile/StepVariables.hpp"

namespace poplar::profile {

using executable::none;

void addVariables(const executable::Image &image, const executable::Slot &slot,
                  std::set<std::uint32_t> &variables) {
  if (slot.kind != executable::SlotKind::Edges)
    return;
  std::uint32_t last = none;
  for (auto e = slot.first; e < slot.first + slot.count; ++e)
    for (auto r = image.edges[e].firstRun; r < image.edges[e].firstRun + image.edges[e].numRuns;
         ++r)
      if (image.runs[r].var != last)
        variables.insert(last = image.runs[r].var);
}

std::set<std::uint32_t> StepVariables::operator()(const executable::Step &step) {
  std::set<std::uint32_t> variables;
  for (const auto &move : movesOf(step))
    for (auto var : {move.fromVar, move.toVar})
      if (var != none)
        variables.insert(var);
  for (const auto *view : viewsOf(step))
    for (const auto &piece : view->pieces)
      variables.insert(piece.var.value);
  if (const auto *execute = executable::as<executable::step::Execute>(step)) {
    const auto &own = ofSet(execute->set);
    variables.insert(own.begin(), own.end());
  }
  return variables;
}

// A compute set may be executed in many places; its edges are walked once.
const std::set<std::uint32_t> &StepVariables::ofSet(std::uint32_t set) {
  auto &variables = ofSet_[set];
  if (variables.empty())
    for (auto vertex : image_.computeSets[set].vertices) {
      const auto first = image_.vertices[vertex].firstSlot;
      for (std::size_t slot = first; slot < first + image_.vertexType(vertex).fields.size(); ++slot)
        addVariables(image_, image_.slots[slot], variables);
    }
  return variables;
}

} // namespace poplar::profile
