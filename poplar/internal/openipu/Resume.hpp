// SPDX-License-Identifier: MIT
// Going on after a run that an exception or Engine::stop ended early: the program is gone, but the
// memory of the device is as it was left. Whoever knows what the program keeps in it can tell
// whether that is of use.
#pragma once
#include "poplar/Engine.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace poplar::openipu {

// Lets an engine run again that failed, with the memory and the floating point behaviour that it
// has. False: the memory is not to be trusted (the device was lost, a vertex was broken off, other
// processes take part). Then Engine::load comes first.
bool resume(poplar::Engine &engine);

// Variables are named by the streams that bring them, or by their remote buffers.
using Handles = std::vector<std::string>;

// Zeros in all replicas, as after Engine::load.
void clear(poplar::Engine &engine, const Handles &handles);

// How far the last run had come with changing variables.
enum class Changed { Nothing, InPart, All };

// What turns that have ended of the outermost Repeat changed does not count, if it has so many
// turns. All, if the run was not ended early.
Changed changedByLastRun(const poplar::Engine &engine, const Handles &handles,
                         std::uint64_t turns = 0);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
