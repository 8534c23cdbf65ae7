// SPDX-License-Identifier: MIT
// What a node must have by the definition of its operator: so many inputs, so many outputs, and no
// input left out that must be there. ONNX's operators have ONNX's own definition, others ours.
#pragma once
#include "opdef/opdef.hpp"
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

namespace popart::onnxmodel {

// More than any model has; each output costs a name and a value before anybody looks at it.
constexpr unsigned mostOutputs = 1 << 16;

// ONNX's definition that holds in that version of the node's domain, or the last one before it was
// withdrawn; nullptr if the library has none.
const onnx::OpSchema *schemaOf(const onnx::NodeProto &node, std::int64_t version);

// `given`: whether each input is there, without those left out at the end. popart::error.
void checkFormalsOf(const onnx::OpSchema &schema, const onnx::NodeProto &node,
                    const std::vector<bool> &given, unsigned outputs);
void checkFormalsOf(const ops::OpDef &def, const onnx::NodeProto &node,
                    const std::vector<bool> &given, unsigned outputs);

// Numbers among the attributes of operators that are ours are within ops::largestNumber.
void checkNumbers(const onnx::NodeProto &node);

} // namespace popart::onnxmodel
