// SPDX-License-Identifier: MIT
// Waiting: on a tile, on an IPU, for all IPUs, for the host.
#include "arch/Sync.hpp"
#include <algorithm>

namespace arch {

// The wire runs from machine to machine and back: hops = 1 + IPUs / 4. One IPU alone waits for it
// too.
static Cycles wireCycles(const System &system) {
  const auto &sync = system.chip.sync;
  const unsigned hops = 1 + system.ipus / sync.ipusPerWireHop;
  return system.chip.cycles(2 * hops * sync.wireHopSeconds);
}

static Cycles allIpus(const System &system) {
  const auto &sync = system.chip.sync;
  return std::max<Cycles>(sync.boundaryCycles + wireCycles(system), sync.globalCycles);
}

Cycles syncCycles(const System &system, SyncScope scope, HostWait host) {
  switch (scope) {
  case SyncScope::Tile:
    return system.chip.sync.localCycles;
  case SyncScope::Ipu:
    return system.chip.sync.boundaryCycles;
  case SyncScope::AllIpus:
    return allIpus(system);
  case SyncScope::Host:
    break;
  }
  const double wait = host == HostWait::Synchronous ? system.chip.host.callbackSeconds : 0;
  return allIpus(system) + system.chip.cycles(wait);
}

} // namespace arch
