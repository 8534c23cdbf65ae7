// SPDX-License-Identifier: MIT
#include "compile/TimeSteps.hpp"
#include "analysis/Reach.hpp"
#include "arch/Compute.hpp"
#include "arch/ProgramTime.hpp"
#include "arch/Sync.hpp"
#include "base/Arithmetic.hpp"
#include "base/Error.hpp"
#include "compile/Replica.hpp"
#include <algorithm>
#include <numeric>

namespace poplar::compile {

using namespace analysis;
using namespace executable;

namespace {

arch::VertexCost costOf(const arch::Chip &chip, codelet::VertexKind kind, std::uint64_t cycles) {
  if (kind == codelet::VertexKind::Vertex)
    return arch::VertexCost::worker(cycles);
  if (kind != codelet::VertexKind::MultiVertex)
    return arch::VertexCost::supervisor(cycles);
  std::vector<std::uint64_t> all(chip.workers, base::ceilDiv(cycles, chip.workers));
  return arch::VertexCost::multi(all);
}

// Positions in the compute set by tile; vertices of one tile stay in graph order.
std::vector<std::uint32_t> byTile(const Image &image, const ComputeSet &set, unsigned tiles) {
  std::vector<std::uint32_t> ends(tiles + 1, 0), positions(set.vertices.size());
  for (auto vertex : set.vertices)
    ++ends[image.vertices[vertex].tile + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  for (std::uint32_t i = 0; i != positions.size(); ++i)
    positions[ends[image.vertices[set.vertices[i]].tile]++] = i;
  return positions;
}

void append(std::vector<arch::VertexCost> &costs, const arch::VertexCost &cost) {
  if (!costs.empty() && cost.kind == arch::VertexKind::Worker && costs.back().kind == cost.kind &&
      costs.back().bundles == cost.bundles)
    ++costs.back().count;
  else
    costs.push_back(cost);
}

Phase decision(const arch::System &system, PhaseKind kind) {
  using arch::SyncScope;
  auto sync = arch::syncCycles(system, SyncScope::Ipu);
  if (system.ipus > 1)
    sync += arch::syncCycles(system, SyncScope::AllIpus);
  if (kind == PhaseKind::Sync)
    return {kind, "sync", sync, 0, 0, {}};
  return {kind,
          "broadcast and branch",
          arch::conditionCycles(system) - sync,
          4ull * (system.tiles() - 1),
          0,
          {}};
}

void timeExecute(Image &image, const arch::System &system, std::uint32_t index, Step &step) {
  const auto &set = image.computeSets[index];
  std::vector<std::uint64_t> cycles;
  cycles.reserve(set.vertices.size());
  for (auto vertex : set.vertices)
    cycles.push_back(image.vertices[vertex].cycles);
  step.cost.measured = timeComputeSet(image, system, index, cycles, computePhase(image, step));
}

} // namespace

bool timeComputeSet(const Image &image, const arch::System &system, std::uint32_t computeSet,
                    std::span<const std::uint64_t> vertexCycles, Phase &out) {
  const auto &set = image.computeSets[computeSet];
  OPENIPU_CHECK(vertexCycles.size() == set.vertices.size(), "one number per vertex of " + set.name);
  if (std::find(vertexCycles.begin(), vertexCycles.end(), noEstimate) != vertexCycles.end())
    return false;
  Phase phase{PhaseKind::Compute, set.name, 0, 0, 0, {}};
  auto order = byTile(image, set, system.tiles());
  std::vector<arch::VertexCost> costs;
  for (std::size_t i = 0; i != order.size();) {
    auto tile = image.vertices[set.vertices[order[i]]].tile;
    costs.clear();
    for (; i != order.size() && image.vertices[set.vertices[order[i]]].tile == tile; ++i)
      append(costs, costOf(system.chip, image.vertexType(set.vertices[order[i]]).kind,
                           vertexCycles[order[i]]));
    auto done = arch::tileCompute(system.chip, costs);
    phase.tiles.push_back({tile, done.cycles, done.busyThreadCycles, 0, 0});
    phase.cycles = std::max(phase.cycles, done.cycles);
  }
  out = std::move(phase);
  return true;
}

Phase &computePhase(const Image &image, Step &step) {
  const auto &name = image.computeSets[std::get<step::Execute>(step.kind).set].name;
  auto &phases = step.cost.phases;
  auto own = [&](const Phase &phase) {
    return phase.kind == PhaseKind::Compute && phase.name == name;
  };
  // A compute set may be called like one of the copies: those before it are found first, those
  // after it last.
  if (name == "copy-out" || name == "unpack") {
    auto at = std::find_if(phases.begin(), phases.end(), own);
    if (at != phases.end())
      return *at;
  } else if (auto at = std::find_if(phases.rbegin(), phases.rend(), own); at != phases.rend()) {
    return *at;
  }
  phases.push_back({PhaseKind::Compute, name, 0, 0, 0, {}});
  return phases.back();
}

void timeSteps(Image &image, const arch::System &system) {
  auto replica = oneReplica(system, image.replicationFactor);
  for (auto index : reach(image).order) {
    auto &step = image.steps[index];
    const auto flow = flowOf(step);
    if (const auto *execute = as<step::Execute>(step))
      timeExecute(image, replica, execute->set, step);
    else if (flow == steps::Flow::Repeated)
      step.cost.phases = {{PhaseKind::Control, "loop", arch::loopCycles(replica, 0, 1), 0, 0, {}}};
    else if (flow == steps::Flow::While || flow == steps::Flow::OneOf)
      step.cost.phases = {decision(replica, PhaseKind::Sync),
                          decision(replica, PhaseKind::Control)};
  }
}

} // namespace poplar::compile
