// SPDX-License-Identifier: MIT
// Directions and kinds of host streams.
#pragma once

namespace poplar {

enum class DataStreamType {
  HostToDeviceFIFO,
  DeviceToHostFIFO,
  HostToDeviceBuffer,
  DeviceToHostBuffer
};

constexpr bool isDeviceToHost(DataStreamType t) {
  return t == DataStreamType::DeviceToHostFIFO || t == DataStreamType::DeviceToHostBuffer;
}
constexpr bool isHostToDevice(DataStreamType t) { return !isDeviceToHost(t); }
constexpr bool isRemoteBuffer(DataStreamType t) {
  return t == DataStreamType::HostToDeviceBuffer || t == DataStreamType::DeviceToHostBuffer;
}

} // namespace poplar
