// SPDX-License-Identifier: MIT
// What TensorInfo reads from ONNX's messages.
#include "base/Text.hpp"
#include "onnx/tensors.hpp"
#include <popart/error.hpp>

namespace popart {

TensorInfo::TensorInfo(const onnx::TensorProto &tensor)
    : TensorInfo(onnxmodel::typeFromOnnx(tensor.data_type()),
                 Shape(tensor.dims().begin(), tensor.dims().end())) {}

TensorInfo::TensorInfo(const onnx::TypeProto &type) {
  if (!type.has_tensor_type())
    throw error("TensorInfo: the type is not one of tensors.");
  Shape shape;
  for (const auto &dim : type.tensor_type().shape().dim()) {
    if (!dim.has_dim_value())
      throw error(base::str("TensorInfo: dimension ", shape.size(), " is ",
                            dim.has_dim_param() ? "\"" + dim.dim_param() + "\"" : "unknown",
                            ", not a number."));
    shape.push_back(dim.dim_value());
  }
  *this = TensorInfo(onnxmodel::typeFromOnnx(type.tensor_type().elem_type()), shape);
}

} // namespace popart
