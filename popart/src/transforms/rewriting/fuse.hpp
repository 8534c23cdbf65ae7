// SPDX-License-Identifier: MIT
// Groups neighbouring element-wise nodes into FusedElementwise nodes: one expression, one program,
// and nothing between them in memory. Results are unchanged.
//
// A node joins its users' group if they all belong to one, run in the same pass on the same IPU and
// stage, and have its shape; so a group has one output. Values in `kept` (anchors) stay.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::transforms {

void fuse(ir::Graph &graph, const std::set<ir::Value> &kept);

} // namespace popart::transforms
