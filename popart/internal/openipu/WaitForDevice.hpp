// SPDX-License-Identifier: MIT
// For front ends that wait for a free device.
#pragma once
#include <chrono>
#include <popart/devicemanager.hpp>

namespace popart::frontends {

// An attached device with so many IPUs, as soon as one is free; null if the time is over, if a
// signal came first or the file `wake` can be read (`interrupted`), or if this machine has none. A
// negative time is for ever.
std::shared_ptr<DeviceInfo> acquireWhenFree(int numIpus, std::chrono::milliseconds longest,
                                            bool &interrupted, int wake = -1);
// The same for one device; whether it is attached.
bool attachWhenFree(DeviceInfo &device, std::chrono::milliseconds longest, bool &interrupted,
                    int wake = -1);

} // namespace popart::frontends
