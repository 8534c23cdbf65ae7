// SPDX-License-Identifier: MIT
#include "onnx/attributes.hpp"

#include "base/Text.hpp"
#include <popart/error.hpp>

namespace popart::onnxmodel {

using onnx::AttributeProto;

namespace {

ir::Attribute valueOf(const AttributeProto &a, TensorReader &reader) {
  switch (a.type()) {
  case AttributeProto::INT:
    return a.i();
  case AttributeProto::FLOAT:
    return a.f();
  case AttributeProto::STRING:
    return a.s();
  case AttributeProto::INTS:
    return ir::Integers(a.ints().begin(), a.ints().end());
  case AttributeProto::FLOATS:
    return std::vector<float>(a.floats().begin(), a.floats().end());
  case AttributeProto::STRINGS:
    return std::vector<std::string>(a.strings().begin(), a.strings().end());
  case AttributeProto::TENSOR:
    return reader.read(a.t());
  default:
    throw error(base::str("Attribute \"", a.name(), "\" is a ",
                          AttributeProto::AttributeType_Name(a.type()),
                          "; numbers, texts, lists of them and tensors are possible."));
  }
}

std::int64_t integer(const AttributeProto &a) {
  if (a.type() != AttributeProto::INT)
    throw error(base::str("Attribute \"", a.name(), "\" must be an integer."));
  return a.i();
}

// Of an IPU, a stage or a phase.
std::int64_t place(const AttributeProto &a) {
  checkPlace(a.name(), integer(a));
  return a.i();
}

ir::Recompute recompute(const AttributeProto &a) {
  switch (integer(a)) {
  case 0:
    return ir::Recompute::Undefined;
  case 1:
    return ir::Recompute::Checkpoint;
  case 2:
    return ir::Recompute::Recompute;
  default:
    throw error(base::str("Attribute \"", a.name(), "\" is ", a.i(),
                          "; it must be 0 (undefined), 1 (checkpoint) or 2 (recompute)."));
  }
}

void setSetting(ir::Settings &settings, const AttributeProto &a, TensorReader &reader) {
  if (a.name() == "__ipu_number")
    settings.virtualGraph = place(a);
  else if (a.name() == "__pipeline_stage")
    settings.pipelineStage = place(a);
  else if (a.name() == "__execution_phase")
    settings.executionPhase = place(a);
  else if (a.name() == "__recompute_output_in_backward_pass")
    settings.recompute = recompute(a);
  else if (a.name() == "__schedule_priority")
    settings.schedulePriority =
        a.type() == AttributeProto::INT ? static_cast<double>(a.i()) : static_cast<double>(a.f());
  else
    settings.extra.set(a.name(), valueOf(a, reader));
}

} // namespace

void checkPlace(const std::string &name, std::int64_t value) {
  constexpr std::int64_t most = 1 << 20;
  if (value < 0 || value > most)
    throw error(base::str("Attribute \"", name, "\" is ", value,
                          "; virtual graphs, pipeline stages and execution phases are counted from "
                          "0 to at most ",
                          most, "."));
}

NodeFacts factsOf(const onnx::NodeProto &node, TensorReader &reader) {
  NodeFacts facts;
  facts.settings.name = node.name();
  for (const auto &a : node.attribute()) {
    if (a.type() == AttributeProto::GRAPH)
      continue;
    if (a.name().rfind("__", 0) == 0)
      setSetting(facts.settings, a, reader);
    else
      facts.attributes.set(a.name(), valueOf(a, reader));
  }
  return facts;
}

const AttributeProto *findAttribute(const onnx::NodeProto &node, const std::string &name) {
  for (const auto &a : node.attribute())
    if (a.name() == name)
      return &a;
  return nullptr;
}

const onnx::GraphProto &graphAttribute(const onnx::NodeProto &node, const std::string &name) {
  const auto *a = findAttribute(node, name);
  if (!a || a->type() != onnx::AttributeProto::GRAPH)
    throw error(base::str(node.op_type(), ": attribute \"", name, "\" must be a graph."));
  return a->g();
}

std::string labelOf(const onnx::NodeProto &node) {
  return node.output_size() ? node.output(0) : node.name();
}

} // namespace popart::onnxmodel
