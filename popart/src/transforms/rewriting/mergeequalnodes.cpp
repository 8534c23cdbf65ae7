// SPDX-License-Identifier: MIT
#include "transforms/rewriting/mergeequalnodes.hpp"

#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>

namespace popart::transforms {

using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;

namespace {

constexpr std::size_t smallConstant = 64; // bytes

// Where a node runs and what it is, apart from its inputs.
std::string keyOf(const Node &node) {
  std::string key = base::str(node.def->domain, '.', node.def->type, '/', int(node.pass), '/',
                              node.settings.virtualGraph.value_or(-1), '/',
                              node.settings.pipelineStage.value_or(-1), '/',
                              int(node.settings.recompute), '/', node.outputs.size());
  for (const auto &[name, value] : node.attributes.all())
    key += base::str('/', name, '=', value.index(), ':', text(value));
  for (const auto &[name, value] : node.settings.extra.all())
    key += base::str('/', name, '=', text(value));
  for (Value v : node.inputs)
    key += base::str(',', v);
  return key;
}

bool mayMerge(const Graph &graph, const Node &node, const std::set<Value> &kept) {
  if (node.def->random || node.def->sideEffect || node.def->updates >= 0 || !node.bodies.empty())
    return false;
  if (std::any_of(node.outputs.begin(), node.outputs.end(), [&](Value v) { return kept.count(v); }))
    return false;
  // A variable may have changed between the two.
  return std::none_of(node.inputs.begin(), node.inputs.end(), [&](Value v) {
    return v != none && graph[v].kind == ir::Kind::Variable && node.pass == ir::Pass::Update;
  });
}

std::vector<Value> equalConstants(const Graph &graph) {
  std::vector<Value> standsFor(graph.size());
  std::map<std::string, Value> seen;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    standsFor[i] = Value{i};
    const auto &value = graph[Value{i}];
    if (value.kind != ir::Kind::Constant || value.data.bytes() > smallConstant)
      continue;
    std::string key = base::str(value.info, '/');
    key.append(static_cast<const char *>(value.data.data()), value.data.bytes());
    standsFor[i] = seen.emplace(key, Value{i}).first->second;
  }
  return standsFor;
}

} // namespace

unsigned mergeEqualNodes(Graph &graph, const std::set<Value> &kept) {
  auto standsFor = equalConstants(graph);
  std::map<std::string, const Node *> seen;
  std::vector<Node> left;
  left.reserve(graph.nodes.size()); // `seen` points into it
  unsigned gone = 0;
  for (auto &node : graph.nodes) {
    for (auto &in : node.inputs)
      if (in != none)
        in = standsFor[in.value];
    if (mayMerge(graph, node, kept)) {
      auto &first = seen[keyOf(node)];
      if (first) {
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
          if (node.outputs[i] != none && first->outputs[i] != none)
            standsFor[node.outputs[i].value] = first->outputs[i];
        ++gone;
        continue;
      }
      left.push_back(std::move(node));
      first = &left.back();
    } else
      left.push_back(std::move(node));
  }
  graph.nodes = std::move(left);
  return gone;
}

} // namespace popart::transforms
