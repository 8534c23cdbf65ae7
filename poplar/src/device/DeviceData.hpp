// SPDX-License-Identifier: MIT
// What a poplar::Device holds. A model, CPU or simulator device has no lease: it is nobody else's.
#pragma once
#include "machine/Lease.hpp"
#include "machine/Partition.hpp"
#include "poplar/Device.hpp"
#include <memory>

namespace poplar::openipu {

struct DeviceData {
  unsigned id = 0;
  Target target;
  std::shared_ptr<machine::Lease> lease; // shared with virtual devices made from it
  std::shared_ptr<const machine::Domain> domain = nullptr; // with a lease: where its IPUs are
  machine::Group group{};
};

struct DeviceAccess {
  static Device make(DeviceData data) {
    return Device(std::make_shared<DeviceData>(std::move(data)));
  }
  static std::shared_ptr<machine::Lease> lease(const Device &device) { return device.data().lease; }
};

} // namespace poplar::openipu

namespace poplar::device {
using openipu::DeviceAccess;
using openipu::DeviceData;
} // namespace poplar::device
