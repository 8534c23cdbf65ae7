// SPDX-License-Identifier: MIT
// Models for tests: from ONNX's text form, with initialisers added, and a folder to write to.
#pragma once
#include "onnx/export.hpp"
#include <onnx/defs/parser.h>
#include <optional>
#include <stdexcept>
#include <stdlib.h>

namespace popart::testing {

inline onnx::ModelProto parsed(const std::string &text) {
  onnx::ModelProto model;
  onnx::OnnxParser parser(text.c_str());
  if (const auto status = parser.Parse(model); !status.IsOK())
    throw std::runtime_error(status.ErrorMessage());
  return model;
}

inline onnx::TensorProto &add(onnx::ModelProto &model, const std::string &name,
                              const ir::HostTensor &value) {
  auto &tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  onnxmodel::write(tensor, value);
  return tensor;
}
inline void addFloats(onnx::ModelProto &model, const std::string &name,
                      const std::vector<float> &values, std::optional<Shape> shape = {}) {
  add(model, name, ir::HostTensor::of(shape.value_or(Shape{std::int64_t(values.size())}), values));
}
inline void addIntegers(onnx::ModelProto &model, const std::string &name,
                        const std::vector<std::int64_t> &values, std::optional<Shape> shape = {}) {
  add(model, name, ir::HostTensor::of(shape.value_or(Shape{std::int64_t(values.size())}), values));
}

struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "openipu-XXXXXX").string();
    if (!::mkdtemp(name.data()))
      throw std::runtime_error("no temporary folder");
    path = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  std::filesystem::path path;
};

} // namespace popart::testing
