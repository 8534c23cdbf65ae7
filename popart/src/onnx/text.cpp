// SPDX-License-Identifier: MIT
#include "openipu/OnnxText.hpp"

#include <onnx/onnx_pb.h>
#include <popart/error.hpp>

namespace popart {

std::string onnxText(const std::string &bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes))
    throw error("onnxText: these bytes are no ONNX model.");
  return model.Utf8DebugString();
}

} // namespace popart
