// SPDX-License-Identifier: MIT
// Which IPU each pipeline stage is on, as the nodes of the forward and backward pass say.
#pragma once
#include "ir/graph.hpp"
#include <cstdint>
#include <map>

namespace popart::transforms {

class StageIpus {
public:
  explicit StageIpus(const ir::Graph &graph) {
    for (const auto &node : graph.nodes)
      if (node.pass != ir::Pass::Update)
        ipuOf_.emplace(*node.settings.pipelineStage, node.settings.virtualGraph.value_or(0));
  }
  // The first stage on an IPU that is not before another; a new one at the end if there is none.
  std::int64_t notBefore(std::int64_t stage, std::int64_t ipu) {
    auto at = ipuOf_.lower_bound(stage);
    while (at != ipuOf_.end() && at->second != ipu)
      ++at;
    if (at == ipuOf_.end())
      at = ipuOf_.emplace(ipuOf_.rbegin()->first + 1, ipu).first;
    return at->first;
  }

private:
  std::map<std::int64_t, std::int64_t> ipuOf_;
};

} // namespace popart::transforms
