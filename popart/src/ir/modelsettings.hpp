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

  // Values that the host holds of a variable; of optimiser state as many as of its weight.
  std::int64_t groupsOf(const TensorId &weight, std::int64_t replicas) const {
    const auto it = variables.find(weight);
    return it == variables.end() ? 1 : it->second.getGroupCount(unsigned(replicas));
  }
};

} // namespace popart::ir
