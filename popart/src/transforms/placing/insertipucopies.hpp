// SPDX-License-Identifier: MIT
// What a node reads from another IPU gets there by an IpuCopy. Constants are repeated instead.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

// After this every input of a node (of the weight update alone, if asked) lives on the node's IPU.
void insertIpuCopies(ir::Graph &graph, bool updatesOnly = false);

} // namespace popart::transforms
