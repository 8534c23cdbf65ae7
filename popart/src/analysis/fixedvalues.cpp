// SPDX-License-Identifier: MIT
#include "analysis/fixedvalues.hpp"

#include "opdef/opdef.hpp"
#include <algorithm>
#include <set>

namespace popart::analysis {

using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Value;

static std::set<Value> writtenVariables(const Graph &graph) {
  std::set<Value> out;
  for (const Node &node : graph.nodes)
    if (node.def->updates >= 0)
      out.insert(node.inputs[std::size_t(node.def->updates)]);
  return out;
}

bool isPure(const Node &node) {
  return node.pass == ir::Pass::Forward && !node.def->random && !node.def->sideEffect &&
         node.def->updates < 0 && !node.inputs.empty() && !node.outputs.empty() &&
         node.outputs[0] != none && !node.def->fetches && // not to be kept
         (node.bodies.empty() || node.def->fused);
}

std::vector<bool> fixedValues(const Graph &graph) {
  std::vector<bool> fixed(graph.size(), false);
  const auto written = writtenVariables(graph);
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const auto kind = graph[Value{i}].kind;
    fixed[i] = kind == Kind::Constant || (kind == Kind::Variable && !written.count(Value{i}));
  }
  for (const Node &node : graph.nodes)
    if (isPure(node) && std::all_of(node.inputs.begin(), node.inputs.end(),
                                    [&](Value v) { return v == none || fixed[v.value]; }))
      for (Value v : node.outputs)
        if (v != none)
          fixed[v.value] = true;
  return fixed;
}

} // namespace popart::analysis
