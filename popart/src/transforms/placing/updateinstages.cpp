// SPDX-License-Identifier: MIT
#include "transforms/placing/updateinstages.hpp"

#include "transforms/placing/stageipus.hpp"
#include <algorithm>

namespace popart::transforms {

using ir::Graph;
using ir::none;
using ir::Pass;
using ir::Value;

void updateInStages(Graph &graph) {
  StageIpus stages(graph);
  std::vector<std::int64_t> stage(graph.size(), 0);
  for (auto &node : graph.nodes) {
    auto &own = node.settings.pipelineStage;
    if (node.pass == Pass::Update) {
      node.pass = Pass::Backward;
      for (Value v : node.inputs)
        if (v != none)
          own = std::max(own.value_or(0), stage[v.value]);
      own = stages.notBefore(own.value_or(0), node.settings.virtualGraph.value_or(0));
    }
    for (Value v : node.outputs)
      if (v != none)
        stage[v.value] = own.value_or(0);
  }
}

} // namespace popart::transforms
