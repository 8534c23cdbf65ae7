// SPDX-License-Identifier: MIT
#include "ir/modelsettings.hpp"

#include "ir/statenames.hpp"

namespace popart::ir {

const VariableSettings *settingsFor(const ModelSettings &settings, const TensorId &id) {
  const bool state = isOptimizerState(id) || isAccumulator(id);
  auto it = settings.variables.find(state ? id.substr(id.find("___") + 3) : id);
  return it == settings.variables.end() ? nullptr : &it->second;
}

} // namespace popart::ir
