// SPDX-License-Identifier: MIT
// Cycles of compute and control. A vertex's estimate is in the cycles of its own thread, as codelet
// authors and estimators count them: a worker's are bundles, of which it issues one every six tile
// cycles, whoever else runs; a supervisor vertex's and a MultiVertex's (which holds all six
// workers) are tile cycles.
#pragma once
#include "arch/System.hpp"
#include "executable/Image.hpp"
#include <span>

namespace poplar::compile {

// Prices one execution of a compute set. vertexCycles holds one number per vertex of the set, in
// order; false (and `out` untouched) when one of them is noEstimate.
bool timeComputeSet(const executable::Image &image, const arch::System &system,
                    std::uint32_t computeSet, std::span<const std::uint64_t> vertexCycles,
                    executable::Phase &out);

// The compute set's own phase among the phases of an Execute step.
executable::Phase &computePhase(const executable::Image &image, executable::Step &step);

// Fills compute phases of Execute steps whose vertices all have estimates and marks the others as
// not measured; gives loops their control cycles per iteration and branches the cost of deciding
// (phases on the Repeat, RepeatWhile, If and Switch steps themselves: one iteration, one decision).
void timeSteps(executable::Image &image, const arch::System &system);

} // namespace poplar::compile
