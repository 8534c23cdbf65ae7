// SPDX-License-Identifier: MIT
// The Mk2 variant with FP8 on the C600 PCIe card. Tile and fabric are GC200's, so every number that
// is not here is Ipu2.cpp's.
#include "Chips.hpp"

namespace arch::chips {

Chip ipu21() {
  Chip c = ipu2();
  c.name = "ipu21";
  c.displayName = "C600 (Mk2, FP8)";
  c.archName = "ipu21";
  c.archVersion = 21;
  c.clockHz = 1.5e9;               // A14: from its FP16 rating
  c.amp.quarterUnits = 16;         // PL
  c.amp.quarterInputsPerCycle = 8; // PL: 16 units x 8
  c.host.hasGateway = false;       // ISA: a PCIe card
  c.host.remoteBytesPerIpu = 0;
  c.links.ipusPerMachine = 8; // A14: cards in one server
  c.links.ipusPerDomain = 8;
  c.power.idleWatts = idleAt(c.clockHz);
  const double faster = c.clockHz / 1.33e9; // A10: dynamic power by clock alone
  c.power.ampWatts *= faster;
  c.power.vectorWatts *= faster;
  c.power.memoryWatts *= faster;
  c.power.exchangeWatts *= faster;
  return c;
}

} // namespace arch::chips
