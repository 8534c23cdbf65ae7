// SPDX-License-Identifier: MIT
#include "transforms/placing/raisestages.hpp"

#include "transforms/placing/stageipus.hpp"
#include <algorithm>
#include <map>

namespace popart::transforms {

using ir::Graph;
using ir::none;
using ir::Pass;
using ir::Value;

namespace {
void closeGaps(Graph &graph) {
  std::map<std::int64_t, std::int64_t> numbers;
  for (const auto &node : graph.nodes)
    if (node.pass != Pass::Update)
      numbers.emplace(*node.settings.pipelineStage, 0);
  std::int64_t next = 0;
  for (auto &[stage, number] : numbers)
    number = next++;
  for (auto &node : graph.nodes)
    if (auto &stage = node.settings.pipelineStage; stage && numbers.count(*stage))
      stage = numbers.at(*stage);
}
} // namespace

void raiseStages(Graph &graph) {
  StageIpus stages(graph);
  std::vector<std::int64_t> stage(graph.size(), 0);
  for (auto &node : graph.nodes) {
    if (node.pass == Pass::Update)
      continue;
    auto &own = *node.settings.pipelineStage;
    if (node.pass == Pass::Backward) {
      for (Value v : node.inputs)
        if (v != none)
          own = std::max(own, stage[v.value]);
      own = stages.notBefore(own, node.settings.virtualGraph.value_or(0));
    }
    for (Value v : node.outputs)
      if (v != none)
        stage[v.value] = own;
  }
  closeGaps(graph);
}

} // namespace popart::transforms
