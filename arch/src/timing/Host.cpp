// SPDX-License-Identifier: MIT
// Streams and remote buffers: wait, move the data over the port (or as fast as the busiest tile
// takes packets), and pass the same bytes through the exchange.
#include "arch/Host.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>

namespace arch {
namespace {

std::uint64_t busiestTile(const System &system, const HostTransfer &t) {
  return t.busiestTileBytes ? t.busiestTileBytes
                            : base::ceilDiv(t.bytesPerIpu, system.tilesPerIpu());
}

// Packets of one tile follow each other at a distance, whatever the port could do.
double tileSeconds(const System &system, const HostTransfer &t) {
  const auto &host = system.chip.host;
  const bool in = t.direction == HostDirection::ToDevice;
  const unsigned largest = in ? host.packetBytesIn : host.packetBytesOut;
  const auto packets = base::ceilDiv(busiestTile(system, t),
                                     t.packetBytes ? std::min(t.packetBytes, largest) : largest);
  return double(packets > 0 ? packets - 1 : 0) *
         (in ? host.tilePacketSecondsIn : host.tilePacketSecondsOut);
}

double portSeconds(const System &system, const HostTransfer &t, double bytesPerSecond,
                   double sharedPerMachine) {
  double seconds = double(t.bytesPerIpu) / bytesPerSecond;
  if (sharedPerMachine > 0)
    seconds = std::max(seconds, double(t.bytesAllIpus) / (sharedPerMachine * system.machines()));
  return seconds;
}

HostCost costOf(const System &system, const HostTransfer &t, Cycles sync, double portSeconds) {
  HostCost cost;
  cost.sync = sync;
  if (t.bytesPerIpu == 0)
    return cost;
  const double data = std::max(portSeconds, tileSeconds(system, t));
  cost.transfer = system.chip.cycles(system.chip.host.transferSeconds + data);
  cost.exchange = base::ceilDiv(busiestTile(system, t), system.chip.exchange.bytesPerCycle) +
                  system.chip.exchange.routeUnknownCycles;
  return cost;
}

} // namespace

HostCost streamCopy(const System &system, const HostTransfer &t) {
  const auto &port = system.hostPort();
  const double rate =
      t.direction == HostDirection::ToDevice ? port.inBytesPerSecond : port.outBytesPerSecond;
  return costOf(system, t, syncCycles(system, SyncScope::Host, t.wait),
                portSeconds(system, t, rate, port.sharedBytesPerSecond));
}

HostCost remoteBufferCopy(const System &system, const HostTransfer &t) {
  const auto &host = system.chip.host;
  const bool read = t.direction == HostDirection::ToDevice;
  return costOf(system, t, syncCycles(system, SyncScope::AllIpus),
                portSeconds(system, t,
                            read ? host.remoteReadBytesPerSecond : host.remoteWriteBytesPerSecond,
                            0));
}

} // namespace arch
