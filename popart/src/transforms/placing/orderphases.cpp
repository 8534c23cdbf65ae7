// SPDX-License-Identifier: MIT
#include "transforms/placing/orderphases.hpp"

#include "analysis/storage.hpp"
#include <algorithm>
#include <limits>

namespace popart::transforms {

using analysis::memoryClasses;
using analysis::writtenInputs;
using ir::Graph;
using ir::Node;
using ir::none;
using ir::Pass;
using ir::Value;

void orderPhases(Graph &graph) {
  const auto classes = memoryClasses(graph);
  // Of values: the phase that makes them. Of memory: the last phases that write and use it.
  std::vector<std::int64_t> made(graph.size(), 0), written(graph.size(), 0), used(graph.size(), 0);
  for (auto &node : graph.nodes) {
    if (node.pass == Pass::Update)
      continue;
    std::int64_t phase = node.settings.executionPhase.value_or(0);
    for (Value v : node.inputs)
      if (v != none)
        phase = std::max({phase, made[v.value], written[classes[v.value]]});
    const auto writes = writtenInputs(graph, node);
    for (auto i : writes)
      phase = std::max(phase, used[classes[node.inputs[i].value]]);
    node.settings.executionPhase = phase;
    for (auto i : writes)
      written[classes[node.inputs[i].value]] = phase;
    for (const auto *list : {&node.inputs, &node.outputs})
      for (Value v : *list)
        if (v != none) {
          auto &last = used[classes[v.value]];
          last = std::max(last, phase);
        }
    for (Value v : node.outputs)
      if (v != none)
        made[v.value] = phase;
  }
  const auto key = [](const Node &node) {
    return node.pass == Pass::Update ? std::numeric_limits<std::int64_t>::max()
                                     : *node.settings.executionPhase;
  };
  std::stable_sort(graph.nodes.begin(), graph.nodes.end(),
                   [&](const Node &a, const Node &b) { return key(a) < key(b); });
}

} // namespace popart::transforms
