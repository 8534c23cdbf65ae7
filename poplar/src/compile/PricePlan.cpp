// SPDX-License-Identifier: MIT
#include "compile/PricePlan.hpp"
#include "arch/Compute.hpp"
#include "arch/Exchange.hpp"
#include "arch/Links.hpp"
#include "arch/Sync.hpp"
#include "compile/PriceExchange.hpp"
#include "device/TargetData.hpp"
#include <set>

namespace poplar::compile {

using executable::Phase;
using executable::PhaseKind;
using openipu::Superstep;
using openipu::TileWork;

namespace {

// Every planned message comes from a tile of its own.
arch::TileTraffic trafficOf(const TileWork &work) {
  auto words = [](std::uint64_t bytes) { return (bytes + 3) / 4 * 4; };
  arch::TileTraffic t;
  t.bytesIn = words(work.bytesIn);
  t.bytesOut = words(work.bytesOut);
  t.messagesIn = t.sendersIn = work.bytesIn ? std::max(work.messagesIn, 1u) : 0;
  t.messagesOut = work.bytesOut ? std::max(work.messagesOut, 1u) : 0;
  t.pairSharesInput = work.pairSharesInput;
  return t;
}

// One or two tiles stand for a range: a whole pair, if the range has one, because partners share
// their buses.
struct Represented {
  std::vector<arch::ActiveTile> active;
  std::vector<std::size_t> first; // of each range
};
Represented represent(const Superstep &step) {
  Represented r;
  for (const auto &work : step.tiles) {
    auto tile = work.tile + (work.count > 2 ? work.tile % 2 : 0);
    bool pair = work.count > 1 && tile % 2 == 0;
    r.first.push_back(r.active.size());
    r.active.push_back({tile, trafficOf(work)});
    if (pair)
      r.active.push_back({tile + 1, trafficOf(work)});
  }
  return r;
}

} // namespace

void addPlannedExchange(const arch::System &replica, const Superstep &step, bool synced,
                        std::vector<Phase> &phases) {
  auto travels = [](const TileWork &w) { return w.bytesIn || w.bytesOut; };
  if (std::none_of(step.tiles.begin(), step.tiles.end(), travels))
    return;
  auto represented = represent(step);
  auto cost = arch::exchangeCycles(replica.chip, represented.active);
  if (!synced)
    phases.push_back(syncPhase(step.repeats * arch::syncCycles(replica, arch::SyncScope::Ipu)));
  Phase phase{
      PhaseKind::Exchange, step.name + "/exchange-in", step.repeats * cost.cycles, 0, 0, {}};
  for (std::size_t i = 0; i != step.tiles.size(); ++i) {
    const auto &work = step.tiles[i];
    if (!travels(work))
      continue;
    auto traffic = trafficOf(work);
    auto in = traffic.bytesIn * step.repeats, out = traffic.bytesOut * step.repeats;
    phase.tiles.push_back({work.tile, step.repeats * cost.perTile[represented.first[i]], 0, in, out,
                           work.count, 0, std::uint32_t(plannedExchangeCode(replica.chip, work))});
    phase.bytes += in * work.count;
    phase.messages += traffic.messagesIn * step.repeats * work.count;
  }
  phases.push_back(std::move(phase));
}

// Bytes go over the links of the IPU they lie on. The others of its replica are taken to be as
// busy: they do the same when weights are updated.
std::uint64_t ringBytes(const arch::System &device, const arch::System &replica,
                        const Superstep &step) {
  std::set<unsigned> holders;
  for (const auto &work : step.tiles)
    for (unsigned ipu = work.tile / device.tilesPerIpu();
         ipu <= (work.tile + work.count - 1) / device.tilesPerIpu(); ++ipu)
      holders.insert(ipu);
  return step.ring.bytes * step.repeats * replica.ipus / std::max<std::size_t>(1, holders.size());
}

void addPlannedRing(const arch::System &device, const arch::System &replica, const Superstep &step,
                    std::vector<Phase> &phases) {
  const auto &ring = step.ring;
  if (ring.kind == Superstep::Ring::None || ring.replicas < 2)
    return;
  const auto kind = ring.kind == Superstep::Ring::AllReduce       ? arch::Collective::AllReduce
                    : ring.kind == Superstep::Ring::ReduceScatter ? arch::Collective::ReduceScatter
                                                                  : arch::Collective::AllGather;
  // Each turn of the superstep carries its bytes and syncs; the way round the ring is one.
  const unsigned ipus = std::max(1u, device.ipus / ring.replicas);
  const auto bytes = ringBytes(device, replica, step);
  phases.push_back(syncPhase(step.repeats * arch::syncCycles(device, arch::SyncScope::AllIpus)));
  phases.push_back({PhaseKind::GlobalExchange,
                    step.name + "/between-replicas",
                    arch::collectiveCycles(device, kind, bytes, ring.replicas, ipus),
                    bytes,
                    0,
                    {}});
}

static std::vector<arch::Flow> flowsOf(const arch::System &system,
                                       const std::vector<openipu::Crossing> &crossings) {
  std::vector<arch::Flow> flows;
  for (const auto &c : crossings)
    flows.push_back(
        {c.fromTile / system.tilesPerIpu(), c.toTile / system.tilesPerIpu(), c.bytes, c.pieces});
  return flows;
}

void addPlannedCrossings(const arch::System &replica, const Superstep &step,
                         std::vector<Phase> &phases) {
  if (step.crossings.empty())
    return;
  const auto flows = flowsOf(replica, step.crossings);
  Phase phase{PhaseKind::GlobalExchange,
              step.name + "/between-ipus",
              step.repeats * arch::linkExchange(replica, flows).cycles,
              0,
              0,
              {}};
  for (const auto &flow : flows) {
    phase.bytes += flow.bytes * step.repeats;
    phase.messages += flow.packets * step.repeats;
  }
  phases.push_back(syncPhase(step.repeats * arch::syncCycles(replica, arch::SyncScope::AllIpus)));
  phases.push_back(std::move(phase));
}

void addPlannedCompute(const arch::System &replica, const Superstep &step,
                       std::vector<Phase> &phases) {
  const auto launch = arch::tileCompute(replica.chip, std::array{arch::VertexCost::supervisor(0)});
  Phase phase{PhaseKind::Compute, step.name, 0, 0, 0, {}};
  for (const auto &work : step.tiles) {
    if (!work.cycles)
      continue;
    auto cycles = step.repeats * (work.cycles + launch.cycles);
    phase.cycles = std::max(phase.cycles, cycles);
    phase.tiles.push_back({work.tile, cycles, cycles * replica.chip.workers, 0, 0, work.count,
                           work.vertices, 0, work.kind});
  }
  phase.vertex = step.vertex;
  phase.otherVertices = step.otherVertices;
  phase.flops = step.flops;
  if (!phase.tiles.empty())
    phases.push_back(std::move(phase));
}

std::uint64_t plannedStateBytes(const TileWork &work) {
  constexpr std::uint64_t typicalState = 24; // assumption A20 of docs/timing.md
  return work.stateBytes ? work.stateBytes : work.cycles ? work.vertices * typicalState : 0;
}

std::uint64_t plannedExchangeCode(const arch::Chip &chip, const TileWork &work) {
  return work.bytesIn || work.bytesOut ? arch::exchangeCodeBytes(chip, trafficOf(work)) : 0;
}

} // namespace poplar::compile

namespace poplar::openipu {

using namespace poplar;

std::uint64_t cyclesOf(const Plan &plan, const Target &target) {
  auto system = device::systemOf(target);
  std::vector<executable::Phase> phases;
  for (const auto &step : plan.steps) {
    auto replica = system;
    replica.ipus = std::max(1u, system.ipus / std::max(1u, step.ring.replicas));
    compile::addPlannedRing(system, replica, step, phases);
    compile::addPlannedCrossings(replica, step, phases);
    compile::addPlannedExchange(system, step, false, phases);
    compile::addPlannedCompute(system, step, phases);
  }
  std::uint64_t sum = 0;
  for (const auto &phase : phases)
    sum += phase.cycles;
  return sum;
}

std::uint64_t syncCycles(const Target &target) {
  return arch::syncCycles(device::systemOf(target), arch::SyncScope::Ipu);
}

std::uint64_t exchangeCycles(const Target &target, std::uint64_t bytesIn, std::uint64_t bytesOut,
                             std::uint32_t messagesIn, std::uint32_t messagesOut,
                             bool pairSharesInput) {
  TileWork work;
  work.count = 2;
  work.bytesIn = bytesIn;
  work.bytesOut = bytesOut;
  work.messagesIn = messagesIn;
  work.messagesOut = messagesOut;
  work.pairSharesInput = pairSharesInput;
  Superstep step;
  step.tiles.push_back(work);
  std::vector<executable::Phase> phases;
  compile::addPlannedExchange(device::systemOf(target), step, true, phases);
  return phases.empty() ? 0 : phases[0].cycles;
}

std::uint64_t crossingCycles(const Target &target, const std::vector<Crossing> &crossings) {
  Superstep step;
  step.crossings = crossings;
  std::vector<executable::Phase> phases;
  compile::addPlannedCrossings(device::systemOf(target), step, phases);
  return phases.empty() ? 0 : phases[0].cycles + phases[1].cycles;
}

} // namespace poplar::openipu
