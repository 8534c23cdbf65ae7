// SPDX-License-Identifier: MIT
// The supervisor's own code on every tile: what it calls, waits for and counts. A tile has the code
// of the steps that it takes part in: vertices and exchanges of its own, syncs and loops of its
// IPU.
#pragma once
#include "analysis/Reach.hpp"
#include "arch/System.hpp"
#include <functional>

namespace poplar::analysis {

// Instructions on each tile of a range, for one phase of a step, or for the step itself (`none`).
using ControlCode = std::function<void(std::uint32_t step, std::uint32_t phase, std::uint32_t first,
                                       std::uint32_t count, unsigned instructions)>;
void forControlCode(const executable::Image &image, const arch::System &system,
                    const Reach &reached, const std::vector<std::uint32_t> &like,
                    const ControlCode &found);

// Instructions by tile. `like`: see SharedCode.hpp. Needs: planExchange.
std::vector<std::uint64_t> controlInstructions(const executable::Image &image,
                                               const arch::System &system, const Reach &reached,
                                               const std::vector<std::uint32_t> &like);

} // namespace poplar::analysis
