// SPDX-License-Identifier: MIT
#include "transforms/placing/placenewnodes.hpp"

#include "opdef/opdef.hpp"

namespace popart::transforms {

using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;

namespace {

// The node whose place another one takes over: that of the variable's first user, or a producer.
const Node *example(const Graph &graph, const ir::Links &links, const Node &node) {
  const auto placed = [&](int n) -> const Node * {
    return n >= 0 && graph.nodes[std::size_t(n)].settings.virtualGraph
               ? &graph.nodes[std::size_t(n)]
               : nullptr;
  };
  if (node.def->updates >= 0)
    for (unsigned n : links.consumers[node.inputs[std::size_t(node.def->updates)].value])
      if (const Node *found = placed(int(n)))
        return found;
  for (Value v : node.inputs)
    if (v != none)
      if (const Node *found = placed(links.producer[v.value]))
        return found;
  for (Value v : node.inputs)
    if (v != none)
      for (unsigned n : links.consumers[v.value])
        if (const Node *found = placed(int(n)))
          return found;
  for (Value v : node.outputs)
    if (v != none)
      for (unsigned n : links.consumers[v.value])
        if (const Node *found = placed(int(n)))
          return found;
  return nullptr;
}

} // namespace

void placeNewNodes(Graph &graph) {
  const ir::Links links(graph);
  const Node *first = nullptr;
  for (const auto &node : graph.nodes)
    if (!first && node.settings.virtualGraph)
      first = &node;
  // Twice: what stands behind a node may have its place only then.
  for (const bool last : {false, true})
    for (auto &node : graph.nodes) {
      if (node.settings.virtualGraph)
        continue;
      const Node *like = example(graph, links, node);
      if (!like && last)
        like = first;
      if (!like)
        continue;
      node.settings.virtualGraph = like->settings.virtualGraph;
      if (!node.settings.pipelineStage)
        node.settings.pipelineStage = like->settings.pipelineStage;
    }
}

} // namespace popart::transforms
