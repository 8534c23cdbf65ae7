// SPDX-License-Identifier: MIT
#include "../Views.hpp"
#include <stdexcept>

namespace popvision {

std::string variablesView(const Model &model) {
  const auto variables = model.compilation().variables();
  Json json;
  json.object([&] {
    json.key("name").array([&] {
      for (const auto &variable : variables)
        json.value(variable.name());
    });
    json.key("type").array([&] {
      for (const auto &variable : variables)
        json.value(variable.type());
    });
    json.key("bytes").array([&] {
      for (const auto &variable : variables)
        json.value(variable.bytes());
    });
    json.key("alwaysLive").array([&] {
      for (const auto &variable : variables)
        json.value(variable.alwaysLive() ? 1 : 0);
    });
    // [first, last, first, last...]: the page works out who lives at a step by itself.
    json.key("live").array([&] {
      for (const auto &variable : variables)
        json.array([&] {
          for (const auto &[first, last] : variable.liveSteps())
            json.value(first).value(last);
        });
    });
  });
  return json.take();
}

std::string livenessView(const Model &model) {
  const auto steps = model.compilation().livenessProgramSteps();
  std::uint64_t alwaysLive = 0;
  for (const auto &tile : model.compilation().tiles())
    alwaysLive += tile.memory().alwaysLiveBytes();
  Json json;
  json.object([&] {
    json("alwaysLive", alwaysLive);
    json.key("program").array([&] {
      for (const auto &step : steps)
        step.program() ? json.value(step.program()->id()) : json.null();
    });
    json.key("bytes").array([&] {
      for (const auto &step : steps)
        json.value(step.notAlwaysLiveBytes());
    });
  });
  return json.take();
}

// Adds what begins and takes off what ended, step by step.
std::string livenessOfTile(const Model &model, std::uint64_t tile) {
  const auto compilation = model.compilation();
  if (tile >= compilation.tiles().size())
    throw std::out_of_range("There is no tile " + std::to_string(tile) + ".");
  std::vector<std::int64_t> change(compilation.livenessProgramSteps().size() + 1);
  bool any = false;
  for (const auto &part : partsOn(model, tile)) {
    any = true;
    if (!part.hasUnloweredVar() || part.unloweredVar().alwaysLive())
      continue;
    for (const auto &[first, last] : part.equivalenceClass().steps()) {
      change[first] += std::int64_t(part.bytes());
      change[last + 1] -= std::int64_t(part.bytes());
    }
  }
  Json json;
  json.object([&] {
    json("known", any)("alwaysLive", compilation.tiles()[tile].memory().alwaysLiveBytes());
    json.key("bytes").array([&] {
      std::int64_t bytes = 0;
      for (std::size_t step = 0; step + 1 < change.size(); ++step)
        json.value(bytes += change[step]);
    });
  });
  return json.take();
}

} // namespace popvision
