// SPDX-License-Identifier: MIT
// An ONNX model to read.
#pragma once
#include <string>

namespace popart {

// In protobuf's text format, with the values of its tensors; popart::error if the bytes are no
// model.
std::string onnxText(const std::string &bytes);

} // namespace popart
