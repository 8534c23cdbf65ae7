// SPDX-License-Identifier: MIT
#include "analysis/homes.hpp"

namespace popart::analysis {

using ir::none;
using ir::Value;

std::vector<std::int64_t> homes(const ir::Graph &graph) {
  std::vector<std::int64_t> home(graph.size(), -1);
  for (const auto &node : graph.nodes) {
    const auto here = node.settings.virtualGraph.value_or(0);
    for (Value v : node.outputs)
      if (v != none)
        home[v.value] = here;
    for (Value v : node.inputs)
      if (v != none && home[v.value] < 0)
        home[v.value] = here;
  }
  return home;
}

} // namespace popart::analysis
