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

// Rearranging data inside a tile: pieces that are contiguous in both source and destination. What a
// piece adds depends on its size, so pieces of several sizes add up.
struct TileRearrangement {
  std::uint64_t pieces = 0, bytes = 0;
  double work = 0; // cycles of the pieces in a list of them
  void add(const Chip &chip, std::uint64_t pieceBytes, std::uint64_t count = 1);
  void add(const TileRearrangement &other);
  void subtract(const TileRearrangement &other);
};
Cycles rearrangeCycles(const Chip &chip, const TileRearrangement &copy);

} // namespace arch
