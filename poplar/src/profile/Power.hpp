// SPDX-License-Identifier: MIT
// What the energy model makes of the phases that ran.
#pragma once
#include "arch/Energy.hpp"
#include "profile/Recorder.hpp"

namespace poplar::profile {

// isCopy: compute that only moves data within tiles.
arch::StepKind energyKind(const executable::Phase &phase, bool isCopy, const arch::Chip &chip);

// The part of all tile-cycles of a phase in which a tile is active.
double activeShare(const executable::Phase &phase, std::uint32_t tiles);

// Mean power of one IPU over everything that ran; 0 if nothing did. Looks at every step.
double averageWatts(const executable::Image &image, const Recorder &recorder,
                    const arch::System &system);

} // namespace poplar::profile
