// SPDX-License-Identifier: MIT
// What must hold of a model before it is imported; popart::error otherwise.
#pragma once
#include "onnx/import.hpp"

namespace popart::onnxmodel {

// The versions of the domains a model uses; ai.onnx within [oldestOpset, newestOpset]. An older
// version counts as the oldest if the model's operators did not change in between.
Importer::Opsets opsetsOf(const onnx::ModelProto &model);
// ONNX's own checker, opsets, names that are ours, inputs named twice.
void checkModel(const onnx::ModelProto &model, const std::filesystem::path &folder, bool strict);
// popart::error if the name contains one of those kept for tensors that PopART makes.
void refuseReservedName(const TensorId &id);

} // namespace popart::onnxmodel
