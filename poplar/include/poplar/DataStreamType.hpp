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

// Whether data of such a stream leave the device.
constexpr bool isDeviceToHost(DataStreamType t) {
  return t == DataStreamType::DeviceToHostFIFO || t == DataStreamType::DeviceToHostBuffer;
}
// Whether data of such a stream come from the host.
constexpr bool isHostToDevice(DataStreamType t) { return !isDeviceToHost(t); }
// Whether it is one side of a remote buffer.
constexpr bool isRemoteBuffer(DataStreamType t) {
  return t == DataStreamType::HostToDeviceBuffer || t == DataStreamType::DeviceToHostBuffer;
}

} // namespace poplar
