// SPDX-License-Identifier: MIT
// Finds devices. The simulated machine has OPENIPU_NUM_IPUS IPUs (default 16) of the kind
// OPENIPU_IPU (default ipu2). Ids: the single IPUs first, then aligned groups of two, four, ... up
// to all of them.
#pragma once
#include <poplar/Device.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/TargetType.hpp>
#include <vector>

namespace poplar {

class DeviceManager {
public:
  // A manager that sees the devices of this machine, as the environment describes it.
  static DeviceManager createDeviceManager() { return DeviceManager(); }

  std::size_t getNumDevices() const; // single IPUs and groups of them
  std::vector<Device> getDevices(const OptionFlags &opts = {}) const;
  // Devices with exactly so many IPUs; empty if there are none.
  std::vector<Device> getDevices(TargetType type, unsigned requiredNumIPUs,
                                 const OptionFlags &opts = {}) const;
  // Throws poplar_error if there is no such device.
  Device getDevice(unsigned deviceId, const OptionFlags &opts = {}) const;
  // Devices of numChildIPUs IPUs inside the given one.
  std::vector<unsigned> getChildDeviceIds(unsigned deviceId, unsigned numChildIPUs = 1) const;
};

} // namespace poplar
