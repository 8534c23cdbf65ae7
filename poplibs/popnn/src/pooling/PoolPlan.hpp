// SPDX-License-Identifier: MIT
// How pooling is spread over the tiles, and what that takes.
#pragma once
#include "openipu/Plan.hpp"
#include "popnn/Pooling.hpp"

namespace popnn::pooling {

struct PoolOptions {
  bool poolUseIntrospectiveMapping = true, optimizeForSpeed = false,
       useFloatPartialsWhereBeneficial = false, gradientToFirstMaximum = false;
};
PoolOptions parsePoolOptions(const poplar::OptionFlags &options);

enum class Direction { Forward, Backward };
struct PoolWork {
  Direction direction;
  unsigned chansPerGroup; // channels side by side in memory, as the vertices see them
  unsigned tiles;         // at most so many are used
};
openipu::Plan poolPlan(const poplar::Graph &graph, const PoolParams &params,
                       const PoolOptions &options, const PoolWork &work);

// A worker's cycles for `rows` rows of `positions` outputs in `groups` groups of channels, each
// output from `taps` vectors: 17 + (4 + init) groups + 13 a row + 20 a work item + per group a loop
// of 4 + 3n (max), 5 + 3n (sum) or 7 + 5n (backwards of max).
std::uint64_t poolWorkerCycles(PoolingType type, Direction direction, std::uint64_t groups,
                               std::uint64_t rows, std::uint64_t positions, std::uint64_t taps);

} // namespace popnn::pooling
