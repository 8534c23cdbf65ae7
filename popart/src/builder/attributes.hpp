// SPDX-License-Identifier: MIT
// Values as ONNX attributes and tensors, types and shapes as ONNX has them.
#pragma once
#include "onnx/tensors.hpp"
#include <optional>
#include <popart/vendored/any.hpp>
#include <popart/voiddata.hpp>

namespace popart::builder {

void set(onnx::AttributeProto &out, const std::string &name, const any &value);
void setTensor(onnx::TensorProto &out, const std::string &name, const ConstVoidData &data);
void describe(onnx::ValueInfoProto &out, const TensorId &id, const TensorInfo &info);
// None unless it is a tensor whose type and dimensions are all known.
std::optional<TensorInfo> fixedInfo(const onnx::TypeProto &type);

} // namespace popart::builder
