// SPDX-License-Identifier: MIT
// Compute time of one tile: worker schedule, supervisor vertices, memory ports, on-tile copies.
#include "arch/Compute.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <array>

namespace arch {
namespace {

// Worker contexts filling up in graph order.
class Contexts {
public:
  explicit Contexts(const Chip &chip) : chip_(chip), free_(chip.workers, 0) {}

  void run(std::uint64_t bundles, std::uint64_t count) {
    const Cycles duration = bundles * chip_.workers;
    while (count >= free_.size()) {
      const auto before = free_;
      const auto launchedBefore = launched_;
      for (std::size_t i = 0; i < free_.size(); ++i)
        runOne(duration);
      count -= free_.size();
      if (const auto step = steadyStep(before, launchedBefore))
        skipRounds(count, step);
    }
    for (; count > 0; --count)
      runOne(duration);
    busy_ = true;
  }
  void runAll(const VertexCost &vertex) {
    drain();
    end_ += chip_.launch.cycles + vertex.supervisorCycles + vertex.bundles * chip_.workers +
            chip_.sync.localCycles;
    restart();
  }
  // All workers done and the supervisor has seen it.
  Cycles drain() {
    if (busy_)
      end_ = *std::max_element(free_.begin(), free_.end()) + chip_.sync.localCycles;
    restart();
    return end_;
  }

private:
  void runOne(Cycles duration) {
    launched_ += chip_.launch.cycles;
    auto next = std::min_element(free_.begin(), free_.end());
    launched_ = std::max(launched_, *next);
    *next = launched_ + duration;
  }
  // Equal vertices settle into a pattern: every context and the launches move by the same step per
  // round.
  Cycles steadyStep(const std::vector<Cycles> &before, Cycles launchedBefore) const {
    const Cycles step = launched_ - launchedBefore;
    for (std::size_t i = 0; i < free_.size(); ++i)
      if (free_[i] - before[i] != step)
        return 0;
    return step;
  }
  void skipRounds(std::uint64_t &count, Cycles step) {
    const auto rounds = count / free_.size();
    count -= rounds * free_.size();
    launched_ += rounds * step;
    for (auto &at : free_)
      at += rounds * step;
  }
  void restart() {
    busy_ = false;
    launched_ = end_;
    std::fill(free_.begin(), free_.end(), end_);
  }

  const Chip &chip_;
  std::vector<Cycles> free_; // when each context is free
  Cycles launched_ = 0;      // when the last worker started
  Cycles end_ = 0;           // of everything drained so far
  bool busy_ = false;
};

Cycles busyThreads(const Chip &chip, const VertexCost &v) {
  const auto bundles = v.kind == VertexKind::Worker || v.busyBundles
                           ? std::max(v.busyBundles, v.bundles)
                           : v.bundles * chip.workers;
  return v.count * (bundles + v.supervisorCycles) * chip.workers;
}

} // namespace

VertexCost VertexCost::worker(std::uint64_t bundles, std::uint64_t count) {
  VertexCost cost;
  cost.bundles = bundles;
  cost.count = count;
  return cost;
}

VertexCost VertexCost::multi(std::span<const std::uint64_t> bundlesPerWorker) {
  VertexCost cost;
  cost.kind = VertexKind::Multi;
  for (auto bundles : bundlesPerWorker) {
    cost.bundles = std::max(cost.bundles, bundles);
    cost.busyBundles += bundles;
  }
  return cost;
}

VertexCost VertexCost::supervisor(Cycles cycles, std::uint64_t slowestWorkerBundles) {
  VertexCost cost;
  cost.kind = VertexKind::Supervisor;
  cost.supervisorCycles = cycles;
  cost.bundles = slowestWorkerBundles;
  return cost;
}

TileCompute tileCompute(const Chip &chip, std::span<const VertexCost> vertices) {
  TileCompute result;
  Contexts contexts(chip);
  for (const auto &vertex : vertices) {
    if (vertex.count == 0)
      continue;
    result.busyThreadCycles += busyThreads(chip, vertex);
    if (vertex.kind == VertexKind::Worker)
      contexts.run(vertex.bundles, vertex.count);
    else
      for (std::uint64_t i = 0; i < vertex.count; ++i)
        contexts.runAll(vertex);
  }
  result.cycles = contexts.drain();
  return result;
}

std::uint64_t fallbackBundles(const Chip &chip, std::uint64_t bytesTouched,
                              std::uint64_t exposedOperations) {
  return chip.launch.vertexBundles +
         base::ceilDiv(bytesTouched, std::max(1u, chip.dataPathBits / 8)) + exposedOperations;
}

Cycles memoryPortCycles(const Chip &chip, std::span<const std::uint64_t> accessesPerElement,
                        std::uint64_t bytes) {
  Cycles cycles = base::ceilDiv(bytes, chip.memory.portBytesPerCycle);
  for (auto accesses : accessesPerElement)
    cycles = std::max(cycles, accesses);
  return cycles;
}

// What is narrower than the data path goes atom by atom.
static double cyclesOfPiece(const Chip &chip, std::uint64_t bytes) {
  const auto &c = chip.copy;
  if (bytes < chip.dataPathBits / 8)
    return (bytes % 4 == 0 ? c.gather4 : c.gather2) * double(bytes);
  return c.pieceCycles + double(bytes) / c.bytesPerCycle;
}

void TileRearrangement::add(const Chip &chip, std::uint64_t pieceBytes, std::uint64_t count) {
  pieces += count;
  bytes += pieceBytes * count;
  work += double(count) * cyclesOfPiece(chip, pieceBytes);
}
void TileRearrangement::add(const TileRearrangement &other) {
  pieces += other.pieces;
  bytes += other.bytes;
  work += other.work;
}
void TileRearrangement::subtract(const TileRearrangement &other) {
  pieces -= other.pieces;
  bytes -= other.bytes;
  work = std::max(0.0, work - other.work);
}

Cycles rearrangeCycles(const Chip &chip, const TileRearrangement &copy) {
  if (copy.bytes == 0)
    return 0;
  const auto &c = chip.copy;
  const Cycles oneByOne =
      copy.pieces * c.straightCycles + base::ceilDiv(copy.bytes, c.bytesPerCycle);
  return std::min(oneByOne, c.startCycles + roundUp(copy.work));
}

} // namespace arch
