// SPDX-License-Identifier: MIT
// Writing models: an ONNX model with new values for its initialisers, and moving initialisers into
// files of their own. Files are written beside the old ones and then take their place, so that a
// crash leaves either the old or the new model.
#pragma once
#include "onnx/tensors.hpp"
#include <vector>

namespace popart::onnxmodel {

// Initialisers get the values of the same name; further values (optimiser state) become further
// initialisers. External data goes to the files it was in, relative to the new model, or beside it
// if those were named absolutely; `folder` is where the model's present external data lies (empty:
// where the new model goes). popart::error if types or shapes do not fit, or a file cannot be
// written.
void writeModel(onnx::ModelProto model, const std::map<TensorId, ir::HostTensor> &values,
                const std::filesystem::path &file, const std::filesystem::path &folder = {});

// Moves the values of these initialisers into `file`, which the model then names as it is given.
// popart::error, and the model is as it was, if one is unknown or stored externally already, or the
// file cannot be written.
void storeExternally(onnx::ModelProto &model, const std::vector<TensorId> &ids,
                     const std::filesystem::path &file);

// External data named absolutely, as a model in that folder names it. popart::error if it is not
// below the folder.
void nameFrom(const std::filesystem::path &folder, onnx::ModelProto &model);

} // namespace popart::onnxmodel
