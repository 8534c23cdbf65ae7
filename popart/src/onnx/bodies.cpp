// SPDX-License-Identifier: MIT
// Graph attributes: If, Loop, Scan and Call. A body's own inputs have the types that the node
// hands in; what it uses from outside follows them, in the order of first use.
#include "base/Text.hpp"
#include "onnx/attributes.hpp"
#include "onnx/import.hpp"
#include "opdef/importing.hpp"
#include <popart/error.hpp>

namespace popart::onnxmodel {

using ir::none;
using ir::Value;
using ir::Values;
using onnx::NodeProto;

namespace {

using Infos = std::vector<TensorInfo>;

Infos infosFrom(const ir::Graph &graph, const Values &values, std::size_t first) {
  Infos out;
  for (std::size_t i = first; i < values.size(); ++i) {
    if (values[i] == none)
      throw error(base::str("input ", i, " of a body may not be left out."));
    out.push_back(graph[values[i]].info);
  }
  return out;
}

// Iteration number, condition, carried values.
Infos loopInputs(const ir::Graph &graph, const ir::Node &node) {
  Infos out{{DataType::INT64, {}}, {DataType::BOOL, {}}};
  for (auto &info : infosFrom(graph, node.inputs, 2))
    out.push_back(info);
  return out;
}

std::int64_t scanAxis(const ir::Attributes &attributes, std::size_t i, std::int64_t rank) {
  const auto axes = attributes.find<ir::Integers>("scan_input_axes").value_or(ir::Integers());
  const std::int64_t axis = i < axes.size() ? axes[i] : 0;
  if (axis < -rank || axis >= rank)
    throw error(
        base::str("Scan: scan_input_axes gives ", axis, " for an input of rank ", rank, "."));
  return axis < 0 ? axis + rank : axis;
}

// State, then one slice of every scanned input, which has its axis still if a Builder's call made
// the node. Version 8 has sequence lengths in front and a batch.
Infos scanInputs(const ir::Graph &graph, const ir::Node &node, bool batched) {
  Infos out = infosFrom(graph, node.inputs, batched ? 1 : 0);
  const auto scanned = node.attributes.find<std::int64_t>("num_scan_inputs").value_or(0);
  if (scanned < 1 || scanned > static_cast<std::int64_t>(out.size()))
    throw error(base::str("Scan: num_scan_inputs is ", scanned, " of ", out.size(), " inputs."));
  const std::size_t states = out.size() - static_cast<std::size_t>(scanned);
  const bool keepsAxis = !batched && node.settings.extra.has(ops::sBuilderMeaning);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Shape shape = out[i].shape();
    if (batched) {
      if (shape.empty())
        throw error(base::str("Scan: input ", i + 1, " has no batch dimension."));
      shape.erase(shape.begin());
    }
    if (i >= states) {
      const auto axis =
          batched ? 0 : scanAxis(node.attributes, i - states, std::int64_t(shape.size()));
      if (shape.empty())
        throw error(base::str("Scan: input ", i, " has no dimension to scan."));
      if (keepsAxis)
        shape[std::size_t(axis)] = 1;
      else
        shape.erase(shape.begin() + axis);
    }
    out[i].set(out[i].dataType(), shape);
  }
  return out;
}

void checkDeclared(const onnx::ValueInfoProto &declared, const TensorInfo &given) {
  const auto &type = declared.type();
  if (!declared.has_type() || type.value_case() == onnx::TypeProto::VALUE_NOT_SET)
    return;
  if (type.value_case() != onnx::TypeProto::kTensorType)
    throw error(base::str("Input \"", declared.name(), "\" of a body is not a tensor."));
  const int element = type.tensor_type().elem_type();
  if (element != 0 && typeFromOnnx(element) != given.dataType())
    throw error(base::str("Input \"", declared.name(), "\" of a body is declared ",
                          nameOf(typeFromOnnx(element)), " but gets ", given, "."));
}

// Those behind the first `own` are the node's.
void checkOutputs(const NodeProto &node, const ir::Graph &body, std::size_t own) {
  if (body.outputs.size() != own + static_cast<std::size_t>(node.output_size()))
    throw error(base::str(node.op_type(), ": its body \"", body.name, "\" gives ",
                          body.outputs.size(), " outputs, the node has ", node.output_size(),
                          own ? " beside the condition." : "."));
}

} // namespace

void Importer::addGraphContents(const onnx::GraphProto &graph) {
  for (const auto &tensor : graph.initializer())
    addInitializer(tensor.name(), reader_.read(tensor), ir::Kind::Constant);
  for (const auto &node : graph.node())
    addNode(node);
}

bool Importer::sees(const TensorId &id) const {
  const auto names = visibleNames();
  return std::find(names.begin(), names.end(), id) != names.end();
}

// Inputs of a body for which nothing is given may stand for tensors of the graph around it that
// have their names (addInputTensorFromParentGraph): they are then used from outside.
std::vector<int> Importer::ownInputs(const onnx::GraphProto &graph, std::size_t given) const {
  std::vector<int> own;
  std::size_t left = std::size_t(graph.input_size());
  for (int i = 0; i < graph.input_size(); ++i)
    if (left > given && sees(graph.input(i).name()))
      --left;
    else
      own.push_back(i);
  if (own.size() != given)
    throw error(base::str("Body \"", graph.name(), "\" has ", own.size(), " inputs, ", given,
                          " are given."));
  return own;
}

Importer::Body Importer::importBody(const onnx::GraphProto &graph, const Infos &inputs) {
  const auto own = ownInputs(graph, inputs.size());
  Body body{std::make_shared<ir::Graph>(), {}};
  body.graph->name = graph.name();
  Importer inner(*body.graph, *this);
  for (std::size_t i = 0; i < own.size(); ++i) {
    checkDeclared(graph.input(own[i]), inputs[i]);
    inner.addInput(graph.input(own[i]).name(), inputs[i]);
  }
  inner.addGraphContents(graph);
  for (const auto &output : graph.output())
    inner.addOutput(output.name());
  body.captured = inner.captured_;
  return body;
}

// The bodies of one node get the same captured inputs, used or not.
void Importer::giveSameInputs(const Importer &outer, std::vector<Body> &bodies) {
  Values all;
  for (const auto &body : bodies)
    for (Value v : body.captured)
      if (std::find(all.begin(), all.end(), v) == all.end())
        all.push_back(v);
  for (auto &body : bodies) {
    auto &inputs = body.graph->inputs;
    const Values own(inputs.end() - std::ptrdiff_t(body.captured.size()), inputs.end());
    inputs.resize(inputs.size() - own.size());
    for (Value v : all) {
      const auto at =
          std::find(body.captured.begin(), body.captured.end(), v) - body.captured.begin();
      inputs.push_back(
          std::size_t(at) < own.size()
              ? own[std::size_t(at)]
              : body.graph->add(
                    {outer.graph_[v].name, outer.graph_[v].info, ir::Kind::Computed, {}}));
    }
    body.captured = all;
  }
}

void Importer::importBodies(const NodeProto &node, ir::Node &into) {
  std::vector<Body> bodies;
  const std::string &type = node.op_type();
  if (type == "If") {
    bodies.push_back(importBody(graphAttribute(node, "then_branch"), {}));
    bodies.push_back(importBody(graphAttribute(node, "else_branch"), {}));
  } else if (type == "Loop") {
    while (into.inputs.size() < 2)
      into.inputs.push_back(none);
    into.attributes.set("carried", std::int64_t(into.inputs.size()) - 2);
    bodies.push_back(importBody(graphAttribute(node, "body"), loopInputs(graph_, into)));
  } else if (type == "Scan") {
    const bool batched = versionOf("") < 9;
    into.attributes.set("given", std::int64_t(into.inputs.size()));
    bodies.push_back(importBody(graphAttribute(node, "body"), scanInputs(graph_, into, batched)));
  } else if (type == "Call") {
    const auto &callee = graphAttribute(node, "callee");
    const Infos inputs = infosFrom(graph_, into.inputs, 0);
    const std::string key = callee.SerializeAsString() + base::list(inputs);
    auto known = root_->callees.find(key);
    bodies.push_back(known != root_->callees.end() ? known->second : importBody(callee, inputs));
    if (bodies.front().captured.empty())
      root_->callees.emplace(key, bodies.front());
  } else
    return;
  for (const auto &body : bodies)
    checkOutputs(node, *body.graph, type == "Loop" ? 1 : 0);
  giveSameInputs(*this, bodies);
  for (const auto &body : bodies)
    into.bodies.push_back(body.graph);
  into.inputs.insert(into.inputs.end(), bodies.front().captured.begin(),
                     bodies.front().captured.end());
}

} // namespace popart::onnxmodel
