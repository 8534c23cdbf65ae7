// SPDX-License-Identifier: MIT
#include "transforms/memory/updateatonce.hpp"

namespace popart::transforms {

using ir::Pass;

void updateAtOnce(ir::Graph &graph) {
  for (auto &node : graph.nodes)
    if (node.pass == Pass::Update)
      node.pass = Pass::Backward;
}

} // namespace popart::transforms
