// SPDX-License-Identifier: MIT
// Waiting for a device without polling.
#pragma once
#include <chrono>
#include <poplar/Device.hpp>
#include <vector>

namespace poplar::openipu {

enum class Waited { Attached, TimedOut, Interrupted }; // Interrupted: by a signal of this thread

// Attaches the first of the devices that can be had, as soon as one can; `which` says which one. A
// negative time is for ever. Throws poplar_error if the machine cannot be used.
Waited attachOne(const std::vector<const Device *> &devices, std::chrono::milliseconds longest,
                 std::size_t &which);

} // namespace poplar::openipu
