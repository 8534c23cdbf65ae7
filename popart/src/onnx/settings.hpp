// SPDX-License-Identifier: MIT
// What the Builder wrote into a model's metadata, and models with grouped variables as one replica
// sees them.
#pragma once
#include "ir/modelsettings.hpp"
#include "onnx/import.hpp"
#include <popart/onnxmodel.hpp>

namespace popart::onnxmodel {

// A path if it names a file, else the bytes of a model.
Model openModel(const OnnxModel &model);

// popart::error for entries that make no sense.
ir::ModelSettings settingsOf(const onnx::ModelProto &model);

// The model with the first group's values of every grouped variable; the same if there is none.
Model ofOneReplica(const Model &model, const ir::ModelSettings &settings, unsigned replicas);

} // namespace popart::onnxmodel
