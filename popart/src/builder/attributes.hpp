// SPDX-License-Identifier: MIT
// Values as ONNX attributes and tensors.
#pragma once
#include "onnx/tensors.hpp"
#include <popart/vendored/any.hpp>
#include <popart/voiddata.hpp>

namespace popart::builder {

void set(onnx::AttributeProto &out, const std::string &name, const any &value);
void setTensor(onnx::TensorProto &out, const std::string &name, const ConstVoidData &data);

} // namespace popart::builder
