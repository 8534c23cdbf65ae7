// SPDX-License-Identifier: MIT
#include "ir/graph.hpp"

#include "base/Text.hpp"
#include "op/opdef.hpp"
#include <popart/error.hpp>

namespace popart::ir {

std::string Graph::freeName(const std::string &wanted) const {
  if (!byName_.count(wanted))
    return wanted;
  unsigned &next = taken_[wanted];
  std::string name;
  do
    name = base::str(wanted, '/', ++next);
  while (byName_.count(name));
  return name;
}

Value Graph::add(ValueData value) {
  const Value v{static_cast<std::uint32_t>(values_.size())};
  value.name = freeName(value.name);
  byName_.emplace(value.name, v);
  values_.push_back(std::move(value));
  return v;
}
Value Graph::addStream(const TensorId &id, const TensorInfo &info) {
  inputs.push_back(add({id, info, Kind::Stream, {}}));
  return inputs.back();
}
Value Graph::addVariable(const TensorId &id, HostTensor initial, Role role) {
  const TensorInfo info = initial.info();
  return add({id, info, Kind::Variable, std::move(initial), role});
}
Value Graph::addConstant(const TensorId &id, HostTensor data) {
  const TensorInfo info = data.info();
  return add({id, info, Kind::Constant, std::move(data)});
}

ValueData &Graph::leftOut() { throw error("A tensor that is left out is needed here."); }

Value Graph::find(const TensorId &id) const {
  auto it = byName_.find(id);
  return it == byName_.end() ? none : it->second;
}
Value Graph::require(const TensorId &id) const {
  const Value v = find(id);
  if (v != none)
    return v;
  std::vector<std::string> names;
  for (const auto &value : values_)
    names.push_back(value.name);
  throw error(base::str("No tensor is called \"", id, "\".", base::didYouMean(id, names)));
}
void Graph::rename(Value v, const TensorId &id) {
  auto &value = values_[v.value];
  if (value.name == id)
    return;
  if (byName_.count(id))
    throw error("Two tensors are called \"{}\".", id);
  byName_.erase(value.name);
  value.name = id;
  byName_.emplace(id, v);
}

Links::Links(const Graph &graph) : producer(graph.size(), -1), consumers(graph.size()) {
  for (unsigned n = 0; n < graph.nodes.size(); ++n) {
    for (Value v : graph.nodes[n].outputs)
      if (v != none)
        producer[v.value] = static_cast<int>(n);
    for (Value v : graph.nodes[n].inputs)
      if (v != none && (consumers[v.value].empty() || consumers[v.value].back() != n))
        consumers[v.value].push_back(n);
  }
}

namespace {
void list(std::string &out, const Graph &graph, const Values &values) {
  const char *separator = "";
  for (Value v : values) {
    out += separator;
    out += v == none ? "-" : graph[v].name;
    separator = ", ";
  }
}

// {backward, ipu 1, stage 2}
std::string whereAndWhen(const Node &node) {
  const auto &s = node.settings;
  std::string out;
  const auto add = [&](const auto &...parts) {
    out += base::str(out.empty() ? "  {" : ", ", parts...);
  };
  if (node.pass != Pass::Forward)
    add(node.pass == Pass::Backward ? "backward" : "update");
  if (s.virtualGraph)
    add("ipu ", *s.virtualGraph);
  if (s.pipelineStage)
    add("stage ", *s.pipelineStage);
  if (s.executionPhase)
    add("phase ", *s.executionPhase);
  if (s.recompute != Recompute::Undefined)
    add(s.recompute == Recompute::Checkpoint ? "checkpoint" : "recompute");
  return out.empty() ? out : out + '}';
}
} // namespace

std::string text(const Graph &graph) {
  std::string out = graph.name + ":\n";
  for (const Node &node : graph.nodes) {
    out += "  ";
    list(out, graph, node.outputs);
    out += base::str(" = ", node.def->type, '(');
    list(out, graph, node.inputs);
    for (const auto &[key, value] : node.attributes.all())
      out += base::str(", ", key, '=', text(value));
    out += ')';
    if (!node.outputs.empty() && node.outputs[0] != none)
      out += base::str("  ", graph[node.outputs[0]].info);
    out += whereAndWhen(node) + '\n';
  }
  for (const Node &node : graph.nodes)
    for (const auto &body : node.bodies)
      out += text(*body);
  return out;
}

} // namespace popart::ir
