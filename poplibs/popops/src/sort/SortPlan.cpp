// SPDX-License-Identifier: MIT
// The top k of n by bitonic networks: runs of K = 2^ceil(log2 k) keys are sorted by
// log K (log K + 1) / 2 rounds of compare-and-swap; then pairs of runs are halved to their better K
// (one round) and sorted again (log K rounds) until one run is left. Rounds between keys on
// different tiles exchange them first.
#include "sort/SortPlan.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Chip.hpp"
#include "rearrange/Step.hpp"
#include <algorithm>
#include <base/Text.hpp>
#include <cmath>

namespace popops::sorting {

namespace {

unsigned log2Up(std::uint64_t n) {
  unsigned bits = 0;
  while ((std::uint64_t(1) << bits) < n)
    ++bits;
  return bits;
}

struct Network {
  const arch::Chip &chip;
  std::uint64_t total; // keys of all rows that are left
  unsigned tiles;
  std::uint64_t keyBytes;
  unsigned perComparison, workerOverhead;
  std::string vertex;
  openipu::Plan plan;

  void round(const char *name, unsigned distance) {
    std::uint64_t perTile = base::ceilDiv(total, tiles), pairs = (perTile + 1) / 2;
    auto step = stepOf(name, vertex);
    openipu::TileWork work;
    work.count = unsigned(std::min<std::uint64_t>(tiles, total));
    work.cycles = 19 + chip.onWorkers(workerOverhead + perComparison * chip.workerShare(pairs));
    if ((std::uint64_t(1) << distance) >= perTile && work.count > 1) {
      work.bytesIn = work.bytesOut = pairs * keyBytes;
      work.tempBytes = pairs * keyBytes;
    }
    step.tiles = {work};
    plan.add(std::move(step));
  }
};

// Cycles to compare and swap two elements.
unsigned comparisonCycles(const poplar::Type &type, bool withValues, bool stable) {
  bool isFloat = type == poplar::FLOAT || type == poplar::HALF;
  if (stable)
    return isFloat ? 25 : 27;
  if (withValues)
    return isFloat ? 11 : 17;
  return isFloat ? 13 : 12;
}

} // namespace

openipu::Plan sortPlan(const poplar::Graph &graph, const poplar::Tensor &keys, const SortSpec &spec,
                       bool stable) {
  std::uint64_t n = keys.rank() ? keys.dim(keys.rank() - 1) : 1;
  if (keys.numElements() == 0 || spec.k == 0 || n == 1)
    return {};
  auto type = keys.elementType() == poplar::HALF ? poplar::FLOAT : keys.elementType();
  bool withValues = spec.extra != SortExtra::None;
  auto name = withValues ? base::str("popops::CompareAndSwapAtDistanceKeyVal<", type,
                                     ",unsigned int,true,", stable ? "true>" : "false>")
                         : base::str("popops::CompareAndSwapAtDistance<", type, ">");
  std::uint64_t tiles = std::min<std::uint64_t>(
      graph.getTarget().getNumTiles(), std::max<std::uint64_t>(1, keys.numElements() / 32));
  Network network{openipu::chipOf(graph),
                  keys.numElements(),
                  unsigned(tiles),
                  withValues ? 8u : 4u,
                  comparisonCycles(type, withValues, stable),
                  withValues ? 49u : 23u,
                  name,
                  {}};
  unsigned logK = log2Up(std::min<std::uint64_t>(spec.k, n)), logN = log2Up(n);
  for (unsigned run = 1; run <= logK; ++run)
    for (unsigned distance = run; distance-- > 0;)
      network.round("Sort", distance);
  for (unsigned run = logK; run < logN; ++run) {
    network.round("Halve", logK);
    network.total = std::max<std::uint64_t>(1, network.total / 2);
    bool last = run + 1 == logN;
    if (!last || spec.order != SortOrder::NONE)
      for (unsigned distance = logK; distance-- > 0;)
        network.round("Merge", distance);
  }
  return std::move(network.plan);
}

} // namespace popops::sorting
