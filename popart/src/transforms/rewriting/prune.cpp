// SPDX-License-Identifier: MIT
#include "transforms/rewriting/prune.hpp"

#include "analysis/effects.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>

namespace popart::transforms {

void prune(ir::Graph &graph, const std::set<ir::Value> &kept) {
  std::vector<bool> needed(graph.size(), false);
  for (ir::Value v : kept)
    needed[v.value] = true;
  std::vector<ir::Node> left;
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    auto &node = graph.nodes[n];
    const bool wanted = analysis::hasSideEffect(node) || node.def->updates >= 0 ||
                        std::any_of(node.outputs.begin(), node.outputs.end(),
                                    [&](ir::Value v) { return v != ir::none && needed[v.value]; });
    if (!wanted)
      continue;
    for (ir::Value v : node.inputs)
      if (v != ir::none)
        needed[v.value] = true;
    left.push_back(std::move(node));
  }
  std::reverse(left.begin(), left.end());
  graph.nodes = std::move(left);
}

} // namespace popart::transforms
