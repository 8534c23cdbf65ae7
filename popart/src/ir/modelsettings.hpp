// SPDX-License-Identifier: MIT
// What a model says beside its graph: how inputs and variables differ between replicas.
#pragma once
#include <map>
#include <popart/tensorlocation.hpp>
#include <popart/variablesettings.hpp>

namespace popart::ir {

struct ModelSettings {
  std::map<TensorId, InputSettings> inputs;
  std::map<TensorId, VariableSettings> variables;
};

// The settings that hold for a variable; optimiser state goes with its weight.
const VariableSettings *settingsFor(const ModelSettings &settings, const TensorId &id);

} // namespace popart::ir
