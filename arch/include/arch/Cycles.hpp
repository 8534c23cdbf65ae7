// SPDX-License-Identifier: MIT
// Time on the simulated machine: whole tile cycles, the same on every run. A formula may use double
// inside; it ends in roundUp(). Wires, links and the host keep their own time in seconds and become
// cycles by the chip's clock, so a faster clock does not make a cable faster.
#pragma once
#include <cmath>
#include <cstdint>

namespace arch {

using Cycles = std::uint64_t;

// The next whole number. A millionth is forgiven: 60 us at 1.6 GHz is 96000 cycles, not 96001.
inline Cycles roundUp(double cycles) {
  return cycles <= 0 ? 0 : static_cast<Cycles>(std::ceil(cycles - 1e-6));
}
inline Cycles secondsToCycles(double seconds, double clockHz) { return roundUp(seconds * clockHz); }
inline double cyclesToSeconds(Cycles cycles, double clockHz) { return double(cycles) / clockHz; }

} // namespace arch
