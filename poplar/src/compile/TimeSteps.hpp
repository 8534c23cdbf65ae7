// SPDX-License-Identifier: MIT
// Cycles of compute and control. A vertex's estimate is context time: the tile cycles that pass between its start and end
// on its one worker, six per bundle, whoever else runs; for a supervisor vertex, cycles of the supervisor; for a
// MultiVertex, of its slowest worker.
#pragma once
#include "arch/System.hpp"
#include "executable/Image.hpp"
#include <span>

namespace poplar::compile {

// Prices one execution of a compute set. vertexCycles holds one number per vertex of the set, in order; false (and `out`
// untouched) when one of them is noEstimate.
bool timeComputeSet(const executable::Image &image, const arch::System &system, std::uint32_t computeSet,
                    std::span<const std::uint64_t> vertexCycles, executable::Phase &out);

// The compute set's own phase among the phases of an Execute step.
executable::Phase &computePhase(const executable::Image &image, executable::Step &step);

// Fills compute phases of Execute steps whose vertices all have estimates and marks the others as not measured; gives
// loops their control cycles per iteration and branches the cost of deciding (phases on the Repeat, RepeatWhile, If and
// Switch steps themselves: one iteration, one decision).
void timeSteps(executable::Image &image, const arch::System &system);

} // namespace poplar::compile
