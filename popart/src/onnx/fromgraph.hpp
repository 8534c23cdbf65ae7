// SPDX-License-Identifier: MIT
// ir -> ONNX, for models that were built from code. Operators are written in their canonical form:
// what ONNX has as an input of constant numbers (axes, shapes) is an attribute there and becomes
// an initialiser again. Placement and other settings are attributes with a leading "__". What only
// gradients ask for (who gets that of a MaxPool's equal elements, or of a bound) is not kept.
//
// ai.onnx is at version 11, or at 17 if an operator needs that.
#pragma once
#include "ir/graph.hpp"
#include "ir/modelsettings.hpp"
#include <onnx/onnx_pb.h>

namespace popart::onnxmodel {

// Variables and constants become initialisers; those of the main graph without values (in the
// caller's memory) get types and shapes only. popart::error that names the first operator or
// attribute that ONNX and ai.graphcore do not have.
onnx::ModelProto modelFrom(const ir::Graph &graph, const ir::ModelSettings &settings);

} // namespace popart::onnxmodel
