// SPDX-License-Identifier: MIT
#include "transforms/placing/countstages.hpp"

#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include <map>
#include <popart/error.hpp>

namespace popart::transforms {

using ir::Graph;

std::int64_t countStages(const Graph &graph) {
  std::map<std::int64_t, std::int64_t> ipuOf;
  for (const auto &node : graph.nodes) {
    if (node.pass == ir::Pass::Update)
      continue;
    const auto stage = *node.settings.pipelineStage, ipu = node.settings.virtualGraph.value_or(0);
    const auto [at, fresh] = ipuOf.emplace(stage, ipu);
    if (!fresh && at->second != ipu)
      throw error(base::str("Pipeline stage ", stage, " is on the virtual graphs ", at->second,
                            " and ", ipu, " (", ops::describe(graph, node),
                            "). A stage has one IPU."));
  }
  if (!ipuOf.empty() && ipuOf.rbegin()->first + 1 != std::int64_t(ipuOf.size()))
    throw internal_error("Pipeline stages have gaps.");
  return std::int64_t(ipuOf.size());
}

} // namespace popart::transforms
