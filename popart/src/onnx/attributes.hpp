// SPDX-License-Identifier: MIT
// A node's attributes: those of the operator, and those with a leading "__", which say where, when
// and how it runs. Graphs among them are bodies and imported elsewhere.
#pragma once
#include "ir/graph.hpp"
#include "onnx/tensors.hpp"

namespace popart::onnxmodel {

struct NodeFacts {
  ir::Attributes attributes;
  ir::Settings settings;
};
NodeFacts factsOf(const onnx::NodeProto &node, TensorReader &reader);

// A virtual graph, stage or phase; popart::error for numbers below 0 and absurd ones.
void checkPlace(const std::string &name, std::int64_t value);

const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node, const std::string &name);
// popart::error if it is missing or no graph.
const onnx::GraphProto &graphAttribute(const onnx::NodeProto &node, const std::string &name);
// What stands for a node in names: its first output.
std::string labelOf(const onnx::NodeProto &node);

} // namespace popart::onnxmodel
