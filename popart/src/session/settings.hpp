// SPDX-License-Identifier: MIT
// What a model says beside its graph: how inputs and variables differ between replicas (written by
// the Builder into the model's metadata), and models with grouped variables as one replica sees
// them.
#pragma once
#include "onnx/import.hpp"
#include <popart/onnxmodel.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/variablesettings.hpp>

namespace popart::session {

// A path if it names a file, else the bytes of a model.
onnxmodel::Model openModel(const OnnxModel &model);

struct ModelSettings {
  std::map<TensorId, InputSettings> inputs;
  std::map<TensorId, VariableSettings> variables;
};
// popart::error for entries that make no sense.
ModelSettings settingsOf(const onnx::ModelProto &model);

// The settings that hold for an initialiser; optimiser state goes with its weight.
const VariableSettings *settingsFor(const ModelSettings &settings, const TensorId &id);

// The model with the first group's values of every grouped variable; the same if there is none.
onnxmodel::Model ofOneReplica(const onnxmodel::Model &model, const ModelSettings &settings,
                              unsigned replicas);

} // namespace popart::session
