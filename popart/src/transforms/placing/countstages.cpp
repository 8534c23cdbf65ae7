// SPDX-License-Identifier: MIT
#include "transforms/placing/countstages.hpp"

#include "base/Text.hpp"
#include "op/opdef.hpp"
#include <map>
#include <popart/error.hpp>

namespace popart::transforms {

using ir::Graph;

std::int64_t countStages(const Graph &graph, std::int64_t microBatches, bool accumulation) {
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
  std::int64_t expected = 0;
  for (const auto &[stage, ipu] : ipuOf)
    if (stage != expected++)
      throw error(base::str("Pipeline stages must be numbered without gaps: there is no stage ",
                            expected - 1, "."));
  if (microBatches < expected)
    throw error(base::str("A pipeline of ", expected,
                          " stages needs at least as many micro-batches to "
                          "be filled; ",
                          accumulation ? "accumulationFactor" : "batchesPerStep", " is ",
                          microBatches, "."));
  return expected;
}

} // namespace popart::transforms
