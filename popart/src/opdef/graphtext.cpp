// SPDX-License-Identifier: MIT
// A graph as text: declared in ir/graph.hpp, and here because it names operators.
#include "base/Text.hpp"
#include "ir/graph.hpp"
#include "opdef/opdef.hpp"

namespace popart::ir {

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
