// SPDX-License-Identifier: MIT
// Whether a node does more than making its outputs: it, or something in its bodies, has a side
// effect. Such a node stays where it is, even if nobody uses its outputs, and runs once.
#pragma once
#include "opdef/opdef.hpp"
#include <algorithm>

namespace popart::analysis {

inline bool hasSideEffect(const ir::Node &node) {
  const auto within = [](const auto &body) {
    return std::any_of(body->nodes.begin(), body->nodes.end(), hasSideEffect);
  };
  return node.def->sideEffect || std::any_of(node.bodies.begin(), node.bodies.end(), within);
}

} // namespace popart::analysis
