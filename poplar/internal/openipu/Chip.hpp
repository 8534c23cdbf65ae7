// SPDX-License-Identifier: MIT
// The chip behind a target or a graph: what formulas of vertices take their workers, vector widths,
// copy rates and matrix unit from. It lives as long as the target does.
#pragma once
#include "arch/Chip.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Target.hpp"

namespace poplar::openipu {

// Throws poplar_error for a default-constructed target.
const arch::Chip &chipOf(const poplar::Target &target);
inline const arch::Chip &chipOf(const poplar::Graph &graph) { return chipOf(graph.getTarget()); }

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
