// SPDX-License-Identifier: MIT
#include "analysis/storage.hpp"

#include "opdef/opdef.hpp"
#include <algorithm>
#include <numeric>

namespace popart::analysis {

using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;

bool isView(const Node &node) {
  return !node.inputs.empty() && node.inputs[0] != none && node.def->view;
}

bool mayShareMemory(const Graph &graph, const Node &node) {
  const auto &def = *node.def;
  if (def.reduction && node.inputs[0] != none && node.outputs[0] != none)
    return graph[node.inputs[0]].info.nelms() == graph[node.outputs[0]].info.nelms();
  if (def.viewIfConstant >= 0 &&
      graph[node.inputs[std::size_t(def.viewIfConstant)]].kind == ir::Kind::Constant)
    return true;
  return !def.isElementwise() && !def.create && !def.fresh; // create: it chooses layouts
}

std::int64_t inPlaceInput(const Node &node, std::size_t output) {
  const auto chosen = node.attributes.find<ir::Integers>(inPlaceMark);
  return chosen && output < chosen->size() ? (*chosen)[output] : -1;
}

std::vector<Value> storageOf(const Graph &graph) {
  std::vector<Value> of(graph.size());
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    of[i] = Value{i};
  for (const Node &node : graph.nodes)
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == none)
        continue;
      if (isView(node))
        of[node.outputs[i].value] = of[node.inputs[0].value];
      else if (const auto in = inPlaceInput(node, i); in >= 0)
        of[node.outputs[i].value] = of[node.inputs[std::size_t(in)].value];
      else if (node.def->updates >= 0 && i < node.inputs.size() && node.inputs[i] != none)
        of[node.outputs[i].value] = of[node.inputs[i].value]; // the variable as it is now
    }
  return of;
}

// Whether output i can lie where input i does and nowhere else: updates, and what replicas do with
// several tensors at once.
static bool pairsOutputs(const Node &node) {
  return node.def->updates >= 0 ||
         (node.def->collective && node.inputs.size() == node.outputs.size());
}

std::vector<std::uint32_t> memoryClasses(const Graph &graph) {
  std::vector<std::uint32_t> parent(graph.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto find = [&](std::uint32_t v) {
    while (parent[v] != v)
      v = parent[v] = parent[parent[v]];
    return v;
  };
  for (std::uint32_t v = 0; v < parent.size(); ++v) // writing a part changes the whole
    if (graph[Value{v}].shardOf != none)
      parent[find(v)] = find(graph[Value{v}].shardOf.value);
  for (const Node &node : graph.nodes) {
    const bool pairs = pairsOutputs(node);
    if (!mayShareMemory(graph, node) && !pairs)
      continue;
    for (std::size_t o = 0; o < node.outputs.size(); ++o)
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (node.outputs[o] != none && node.inputs[i] != none && (!pairs || o == i))
          parent[find(node.outputs[o].value)] = find(node.inputs[i].value);
  }
  for (std::uint32_t v = 0; v < parent.size(); ++v)
    parent[v] = find(v);
  return parent;
}

std::vector<std::size_t> writtenInputs(const Graph &graph, const Node &node) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (const auto in = inPlaceInput(node, i); in >= 0)
      out.push_back(std::size_t(in));
  if (node.def->updates < 0)
    return out;
  std::size_t end = node.inputs.size();
  if (auto scalars = node.attributes.find<std::vector<std::string>>("scalars"))
    end -= std::min(end, scalars->size()); // hyper-parameters come last, and are only read
  if (node.def->accumulates)
    if (auto weights = node.attributes.find<std::int64_t>("weights"))
      end = std::min(end, static_cast<std::size_t>(*weights));
  for (std::size_t i = 0; i < end; ++i)
    if (node.inputs[i] != none && graph[node.inputs[i]].kind != ir::Kind::Constant)
      out.push_back(i);
  return out;
}

} // namespace popart::analysis
