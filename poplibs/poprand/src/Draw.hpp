// SPDX-License-Identifier: MIT
// The plan and the operands that all random operators share.
#pragma once
#include "openipu/Operation.hpp"
#include "poputil/Plans.hpp"
#include <cstdint>
#include <poplar/Graph.hpp>
#include <vector>

namespace poprand {

// Throws poplibs_error unless the seed is null or two UNSIGNED_INT elements.
void checkSeed(const char *call, const poplar::Tensor *seed);
void checkProbability(const char *call, const char *what, double probability);

// The dimensions of the reference as they lie in memory, outermost first. Draws go in this order,
// so that results are written as they lie, and a reference always gives the same draws.
std::vector<unsigned> drawingOrder(const poplar::Tensor &reference);

// `generator` alone, or behind the step that seeds its tiles.
openipu::Plan seededPlan(const poplar::Graph &graph, const poplar::Tensor *seed,
                         openipu::Superstep generator);

} // namespace poprand
