// SPDX-License-Identifier: MIT
// Waiting for a device without polling.
#pragma once
#include <chrono>
#include <poplar/Device.hpp>
#include <vector>

namespace poplar::openipu {

enum class Waited { Attached, TimedOut, Interrupted }; // by a signal of this thread, or `wake`

// Attaches the first of the devices that can be had, as soon as one can; `which` says which one. A
// negative time is for ever. `wake` is a file that interrupts it when it can be read. Throws
// poplar_error if the machine cannot be used.
Waited attachOne(const std::vector<const Device *> &devices, std::chrono::milliseconds longest,
                 std::size_t &which, int wake = -1);

} // namespace poplar::openipu
