// SPDX-License-Identifier: MIT
#include "transforms/placing/mirrorphases.hpp"

namespace popart::transforms {

using ir::Pass;

void mirrorPhases(ir::Graph &graph, std::int64_t phases) {
  for (auto &node : graph.nodes)
    if (auto &phase = node.settings.executionPhase; phase && node.pass == Pass::Backward)
      phase = 2 * phases - 2 - *phase;
    else if (node.pass == Pass::Update)
      phase.reset();
}

} // namespace popart::transforms
