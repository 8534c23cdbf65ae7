// SPDX-License-Identifier: MIT
// The profile as a tree of values, for Engine::getProfile and its two halves: {"target", "graph",
// "memory", ...} and
// {"profilerMode", "totalCycles", "steps", ...}. docs/profile.md lists the members.
#pragma once
#include "poplar/ProfileValue.hpp"
#include "pva/pva.hpp"

namespace poplar::profile {

ProfileValue graphProfile(const pva::Report &report);
ProfileValue executionProfile(const pva::Report &report);
ProfileValue
wholeProfile(const pva::Report &report); // {"graphProfile": ..., "executionProfile": ...}

} // namespace poplar::profile
