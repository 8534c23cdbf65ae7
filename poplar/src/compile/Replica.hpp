// SPDX-License-Identifier: MIT
// Tile numbers in an image are those of one replica; the device is made of all replicas, one after
// the other.
#pragma once
#include "arch/System.hpp"

namespace poplar::compile {

inline arch::System oneReplica(arch::System device, unsigned replicationFactor) {
  device.ipus /= replicationFactor;
  return device;
}

} // namespace poplar::compile
