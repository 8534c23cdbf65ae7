// SPDX-License-Identifier: MIT
// What computing costs on one tile. Worker contexts take turns: one of six issues a bundle every
// six cycles however many others run. Worker costs are therefore given in bundles, supervisor costs
// in cycles.
#pragma once
#include "arch/Chip.hpp"
#include <span>

namespace arch {

enum class VertexKind {
  Worker,     // one worker context
  Multi,      // all contexts at once; bundles is the slowest worker's
  Supervisor, // runs on the supervisor, and may use the workers: cycles + bundles of the slowest
              // worker
};

// `count` equal vertices, one after the other in graph order.
struct VertexCost {
  VertexKind kind = VertexKind::Worker;
  std::uint64_t bundles = 0;   // worker bundles
  Cycles supervisorCycles = 0; // Multi and Supervisor only
  std::uint64_t busyBundles =
      0; // Multi and Supervisor: sum over all workers; 0 means all as slow as the slowest
  std::uint64_t count = 1;

  static VertexCost worker(std::uint64_t bundles, std::uint64_t count = 1);
  static VertexCost multi(std::span<const std::uint64_t> bundlesPerWorker);
  static VertexCost supervisor(Cycles cycles, std::uint64_t slowestWorkerBundles = 0);
};

struct TileCompute {
  Cycles cycles = 0;           // until the supervisor sees the last worker done
  Cycles busyThreadCycles = 0; // summed over contexts; idle threads left out
};

// One compute set on one tile. Worker vertices start in the given order on the next free context,
// launches apart; multi and supervisor vertices wait for all contexts. An empty list costs nothing.
TileCompute tileCompute(const Chip &chip, std::span<const VertexCost> vertices);

// A vertex nobody described: entry and exit, one 64-bit access per bundle, and the operations that
// loads do not hide.
std::uint64_t fallbackBundles(const Chip &chip, std::uint64_t bytesTouched,
                              std::uint64_t exposedOperations);

// No kernel is faster than its memory: one access per element and cycle, and so many bytes per
// cycle over all.
Cycles memoryPortCycles(const Chip &chip, std::span<const std::uint64_t> accessesPerElement,
                        std::uint64_t bytes);

// Rearranging data inside a tile, done the cheaper of two ways: piece by piece, or atom by atom.
struct TileRearrangement {
  std::uint64_t pieces = 0; // contiguous in both source and destination
  std::uint64_t bytes = 0;
  unsigned atomBytes = 4; // largest of 8, 4, 2, 1 that divides every piece and its offsets
};
Cycles rearrangeCycles(const Chip &chip, const TileRearrangement &copy);

} // namespace arch
