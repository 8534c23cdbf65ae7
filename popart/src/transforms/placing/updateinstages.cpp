// SPDX-License-Identifier: MIT
#include "transforms/placing/updateinstages.hpp"

#include <algorithm>
#include <map>

namespace popart::transforms {

using ir::Graph;
using ir::none;
using ir::Pass;
using ir::Value;

void updateInStages(Graph &graph) {
  std::map<std::int64_t, std::int64_t> ipuOf; // by stage
  for (const auto &node : graph.nodes)
    if (node.pass != Pass::Update)
      ipuOf.emplace(*node.settings.pipelineStage, *node.settings.virtualGraph);
  std::vector<std::int64_t> stage(graph.size(), 0);
  for (auto &node : graph.nodes) {
    auto &own = node.settings.pipelineStage;
    if (node.pass == Pass::Update) {
      node.pass = Pass::Backward;
      for (Value v : node.inputs)
        if (v != none)
          own = std::max(own.value_or(0), stage[v.value]);
      const auto ipu = *node.settings.virtualGraph;
      auto at = ipuOf.lower_bound(own.value_or(0));
      while (at != ipuOf.end() && at->second != ipu)
        ++at;
      if (at == ipuOf.end())
        at = ipuOf.emplace(ipuOf.rbegin()->first + 1, ipu).first;
      own = at->first;
    }
    for (Value v : node.outputs)
      if (v != none)
        stage[v.value] = own.value_or(0);
  }
}

} // namespace popart::transforms
