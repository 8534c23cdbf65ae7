// SPDX-License-Identifier: MIT
// What a phase of a step is in a profile, and so what its cycles count as (pva/Cycles.hpp): costs
// that are known before a run and those of a run have the same kinds.
#pragma once
#include "executable/Step.hpp"
#include "pva/Program.hpp"

namespace poplar::executable {

// The step in which a program waits for the host's first data (compile/PlanExchange.cpp): a sync
// that is the host's time. Executables know it by this name.
inline constexpr const char *waitForFirstData = "wait for first data";

pva::Program::Type typeOf(steps::Shown shown);
// A step's phase i; its phases are those of its cost, or of what a run has counted.
pva::Program::Type typeOf(const Step &step, const std::vector<Phase> &phases, std::size_t i);

} // namespace poplar::executable
