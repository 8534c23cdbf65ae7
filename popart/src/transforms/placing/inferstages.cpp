// SPDX-License-Identifier: MIT
#include "transforms/placing/inferstages.hpp"

#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>
#include <map>
#include <popart/error.hpp>

namespace popart::transforms {

using ir::Graph;
using ir::Node;

void inferStages(Graph &graph) {
  const auto given = [](const Node &node) { return node.settings.pipelineStage.has_value(); };
  const auto annotated = std::count_if(graph.nodes.begin(), graph.nodes.end(), given);
  if (annotated && annotated != std::int64_t(graph.nodes.size())) {
    const auto &node = *std::find_if_not(graph.nodes.begin(), graph.nodes.end(), given);
    throw error(base::str(ops::describe(graph, node), " has no pipeline stage, but ", annotated,
                          " of ", graph.nodes.size(),
                          " operators have one. Give all of them a stage, or none."));
  }
  if (!annotated)
    for (auto &node : graph.nodes)
      node.settings.pipelineStage = node.settings.virtualGraph.value_or(0);
  std::map<std::int64_t, std::int64_t> numbers; // without gaps
  for (const auto &node : graph.nodes)
    numbers[*node.settings.pipelineStage] = 0;
  std::int64_t next = 0;
  for (auto &[given, number] : numbers)
    number = next++;
  for (auto &node : graph.nodes)
    node.settings.pipelineStage = numbers.at(*node.settings.pipelineStage);
}

} // namespace popart::transforms
