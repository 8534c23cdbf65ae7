// SPDX-License-Identifier: MIT
#include "../Views.hpp"
#include <stdexcept>

namespace popvision {

view::Variables view::variables(const Model &model) {
  const auto variables = model.compilation().variables();
  Variables v;
  column(v.name, variables, [](const auto &variable) { return variable.name(); });
  column(v.type, variables, [](const auto &variable) { return variable.type(); });
  column(v.bytes, variables, [](const auto &variable) { return variable.bytes(); });
  column(v.alwaysLive, variables, [](const auto &variable) { return variable.alwaysLive(); });
  for (const auto &variable : variables) {
    auto &live = v.live.emplace_back();
    for (const auto &[first, last] : variable.liveSteps())
      live.insert(live.end(), {first, last});
  }
  return v;
}

view::Liveness view::liveness(const Model &model) {
  const auto steps = model.compilation().livenessProgramSteps();
  Liveness v;
  for (const auto &tile : model.compilation().tiles())
    v.alwaysLive += tile.memory().alwaysLiveBytes();
  column(v.program, steps, [](const auto &step) {
    return step.program() ? Maybe<Count>(step.program()->id()) : std::nullopt;
  });
  column(v.bytes, steps, [](const auto &step) { return step.notAlwaysLiveBytes(); });
  return v;
}

// Adds what begins and takes off what ended, step by step.
view::TileLiveness view::livenessOfTile(const Model &model, std::uint64_t tile) {
  const auto compilation = model.compilation();
  if (tile >= compilation.tiles().size())
    throw std::out_of_range("There is no tile " + std::to_string(tile) + ".");
  std::vector<std::int64_t> change(compilation.livenessProgramSteps().size() + 1);
  TileLiveness v;
  v.alwaysLive = compilation.tiles()[tile].memory().alwaysLiveBytes();
  for (const auto &part : partsOn(model, tile)) {
    v.known = true;
    if (!part.hasUnloweredVar() || part.unloweredVar().alwaysLive())
      continue;
    for (const auto &[first, last] : part.equivalenceClass().steps()) {
      change[first] += std::int64_t(part.bytes());
      change[last + 1] -= std::int64_t(part.bytes());
    }
  }
  std::int64_t bytes = 0;
  for (std::size_t step = 0; step + 1 < change.size(); ++step)
    v.bytes.push_back(bytes += change[step]);
  return v;
}

} // namespace popvision
