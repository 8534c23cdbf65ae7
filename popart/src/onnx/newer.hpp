// SPDX-License-Identifier: MIT
// What ONNX changed after version 17 of its operators, the last that the installed library knows
// of. The library neither checks these nodes nor tells their formal inputs; what they mean stands
// with their operators, as for every version.
#pragma once
#include "opdef/opdef.hpp"
#include <onnx/onnx_pb.h>

namespace popart::onnxmodel {

constexpr std::int64_t libraryOpset = 17; // of ai.onnx, in ONNX 1.12

// Whether the operator is another one in this version than in version 17.
bool isNewer(const onnx::NodeProto &node, std::int64_t version);
// popart::error for an attribute that such an operator does not have.
void checkNewer(const onnx::NodeProto &node);

// What a node is in a version of its domain; nullptr if there is no such operator. Some that came
// after version 17 have names that ai.graphcore has too, and are written with those.
const ops::OpDef *definitionOf(const onnx::NodeProto &node, std::int64_t version);

} // namespace popart::onnxmodel
