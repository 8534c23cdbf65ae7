// SPDX-License-Identifier: MIT
// Bow: GC200 with a capacitor wafer bonded to it. The same logic at a higher clock, so every number
// that is not here is Ipu2.cpp's.
#include "Chips.hpp"

namespace arch::chips {

Chip bow() {
  Chip c = ipu2();
  c.name = "bow";
  c.displayName = "Bow (Mk2)";
  c.clockHz = 1.85e9; // CLI, MLP
  c.power.idleWatts = idleAt(c.clockHz);
  // EEN: a Bow-2000 averages 1.25 kW, so an IPU may draw (1250 - 250) / 4 = 250 W. Clock and
  // voltage together then raise the dynamic 76 W to 192 W.
  const double dynamic = (250.0 - c.power.idleWatts) / 76;
  c.power.ampWatts *= dynamic;
  c.power.vectorWatts *= dynamic;
  c.power.memoryWatts *= dynamic;
  c.power.exchangeWatts *= dynamic;
  return c;
}

} // namespace arch::chips
