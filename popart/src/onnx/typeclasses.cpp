// SPDX-License-Identifier: MIT
#include "onnx/typeclasses.hpp"

#include "onnx/formals.hpp"
#include <algorithm>
#include <cctype>
#include <onnx/defs/schema.h>

namespace popart::onnxmodel {

namespace {
std::string typeName(int type) {
  auto name = onnx::TensorProto::DataType_Name(onnx::TensorProto::DataType(type));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return "tensor(" + name + ")";
}
} // namespace

TypeClasses::TypeClasses(const onnx::ModelProto &model, int from, int to)
    : fromName_(typeName(from)), toName_(typeName(to)) {
  for (const auto &set : model.opset_import())
    versions_[set.domain() == "ai.onnx" ? "" : set.domain()] = static_cast<int>(set.version());
  addGraph(model.graph());
}

int TypeClasses::version(const std::string &domain) const {
  const auto it = versions_.find(domain == "ai.onnx" ? "" : domain);
  return it == versions_.end() ? 1 : it->second;
}

TensorId TypeClasses::root(const TensorId &id) {
  TensorId at = id;
  for (auto it = parent_.find(at); it != parent_.end(); it = parent_.find(at))
    at = it->second;
  if (at != id)
    parent_[id] = at; // a shorter way next time
  return at;
}
void TypeClasses::join(const TensorId &a, const TensorId &b) {
  if (a.empty() || b.empty())
    return;
  const auto from = root(a), to = root(b);
  if (from == to)
    return;
  parent_[from] = to;
  if (pinned_.count(from))
    pinned_.insert(to);
}
void TypeClasses::pin(const TensorId &id) {
  if (!id.empty())
    pinned_.insert(root(id));
}

void TypeClasses::addGraph(const onnx::GraphProto &graph) {
  for (const auto &node : graph.node())
    addNode(node);
}

// Tensors of one type variable belong together; those whose types an operator fixes are pinned.
void TypeClasses::addNode(const onnx::NodeProto &node) {
  addBodies(node);
  const auto domain = node.domain() == "ai.onnx" ? std::string() : node.domain();
  const auto *schema = schemaOf(node, version(domain));
  if (!schema)
    return; // takes what it is given
  std::map<std::string, TensorId> ofVariable;
  const auto visit = [&](const auto &formals, int index, const TensorId &id) {
    if (id.empty() || formals.empty())
      return;
    const auto &formal = formals[std::min<std::size_t>(std::size_t(index), formals.size() - 1)];
    const auto &types = formal.GetTypes();
    const auto takes = [&](const std::string &name) {
      return std::any_of(types.begin(), types.end(), [&](const auto *t) { return *t == name; });
    };
    if (takes(fromName_) && !takes(toName_))
      pin(id);
    if (!formal.GetIsHomogeneous())
      return; // variadic, each of its own type
    const auto [known, isNew] = ofVariable.emplace(formal.GetTypeStr(), id);
    if (!isNew)
      join(id, known->second);
  };
  for (int i = 0; i < node.input_size(); ++i)
    visit(schema->inputs(), i, node.input(i));
  for (int i = 0; i < node.output_size(); ++i)
    visit(schema->outputs(), i, node.output(i));
}

void TypeClasses::addBodies(const onnx::NodeProto &node) {
  for (const auto &attribute : node.attribute()) {
    if (!attribute.has_g())
      continue;
    addGraph(attribute.g());
    if (node.op_type() == "Loop")
      addLoop(node, attribute.g());
    else
      addBranch(node, attribute.g());
  }
}
// Inputs: trips, condition, state; the body's: index, condition, state; its outputs: condition,
// state, what is stacked up.
void TypeClasses::addLoop(const onnx::NodeProto &node, const onnx::GraphProto &body) {
  if (body.input_size())
    pin(body.input(0).name());
  for (int i = 2; i < std::min(node.input_size(), body.input_size()); ++i) {
    join(node.input(i), body.input(i).name());
    if (i - 1 < body.output_size())
      join(node.input(i), body.output(i - 1).name());
  }
  for (int i = 0; i < std::min(node.output_size(), body.output_size() - 1); ++i)
    join(node.output(i), body.output(i + 1).name());
}
// If, Scan, and calls: by position. Of Scan the first outputs are the state, as are the first
// inputs.
void TypeClasses::addBranch(const onnx::NodeProto &node, const onnx::GraphProto &body) {
  const bool takesInputs = node.op_type() != "If";
  for (int i = 0; takesInputs && i < std::min(node.input_size(), body.input_size()); ++i)
    join(node.input(i), body.input(i).name());
  for (int i = 0; i < std::min(node.output_size(), body.output_size()); ++i)
    join(node.output(i), body.output(i).name());
  if (node.op_type() != "Scan")
    return;
  int scanned = 0;
  for (const auto &attribute : node.attribute())
    if (attribute.name() == "num_scan_inputs")
      scanned = static_cast<int>(attribute.i());
  for (int i = 0; i < std::min(body.input_size() - scanned, body.output_size()); ++i)
    join(body.input(i).name(), body.output(i).name());
}

} // namespace popart::onnxmodel
