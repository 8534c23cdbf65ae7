// SPDX-License-Identifier: MIT
// For front ends that wait for a free device.
#pragma once
#include <chrono>
#include <popart/devicemanager.hpp>

namespace popart::frontends {

// An attached device with so many IPUs, as soon as one is free; null if the time is over, if a
// signal came first (`interrupted`), or if this machine has none. A negative time is for ever.
std::shared_ptr<DeviceInfo> acquireWhenFree(int numIpus, std::chrono::milliseconds longest,
                                            bool &interrupted);
// The same for one device; whether it is attached.
bool attachWhenFree(DeviceInfo &device, std::chrono::milliseconds longest, bool &interrupted);

} // namespace popart::frontends
