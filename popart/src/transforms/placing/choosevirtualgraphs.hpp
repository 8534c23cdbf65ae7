// SPDX-License-Identifier: MIT
// Virtual graphs chosen automatically: the forward pass is cut where a single value passes on, so
// that weights and kept activations are shared out over the IPUs in the given proportions.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

struct Sharding {
  unsigned ipus = 1;
  std::vector<float> ratios; // one per IPU, adding up to 1; empty: equal shares
  bool training = false;     // activations are kept for the backward pass
  bool accumulation = false; // weights have an accumulator each
};

// popart::error if the graph is nowhere narrow enough for so many IPUs.
void chooseVirtualGraphs(ir::Graph &graph, const Sharding &how);

} // namespace popart::transforms
