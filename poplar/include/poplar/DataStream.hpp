// SPDX-License-Identifier: MIT
// Connections between host and device memory: streams, and buffers in the memory beside the device.
#pragma once
#include <cstddef>
#include <cstdint>
#include <poplar/DataStreamType.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <string>

namespace poplar {

namespace openipu {
struct Access;
}

class DataStream {
public:
  DataStream() = default;
  // The name by which Engine::connectStream finds it.
  const std::string &handle() const { return handle_; }
  std::size_t numElements() const { return numElements_; } // per replica and copy
  // Replicas of the graph that the stream belongs to.
  unsigned replicationFactor() const { return replicationFactor_; }
  // Whether each replica reads its own part.
  ReplicatedStreamMode replicatedMode() const { return mode_; }
  DataStreamType type() const { return type_; } // direction, and whether it moves a remote buffer
  const Type &elementType() const { return elementType_; } // type of the elements on the device
  friend bool operator==(const DataStream &a, const DataStream &b) {
    return a.handle_ == b.handle_ && a.type_ == b.type_;
  }
  friend bool operator!=(const DataStream &a, const DataStream &b) { return !(a == b); }

private:
  friend struct openipu::Access;
  friend class RemoteBuffer;
  DataStream(StringRef handle, DataStreamType type, const Type &elementType,
             std::size_t numElements, unsigned replicationFactor, ReplicatedStreamMode mode)
      : handle_(handle), numElements_(numElements), replicationFactor_(replicationFactor),
        mode_(mode), type_(type), elementType_(elementType) {}
  std::string handle_;
  std::size_t numElements_ = 0;
  unsigned replicationFactor_ = 1;
  ReplicatedStreamMode mode_ = ReplicatedStreamMode::REPLICATE;
  DataStreamType type_ = DataStreamType::HostToDeviceFIFO;
  Type elementType_;
  std::uint64_t graph_ = 0; // the number of its graph
};

// `repeats` slots of `numElements` each, per replica.
class RemoteBuffer {
public:
  RemoteBuffer() = default;
  // The name by which Engine::copyToRemoteBuffer finds it.
  const std::string &handle() const { return handle_; }
  std::size_t numElements() const { return numElements_; } // of one slot
  std::size_t getRepeats() const { return repeats_; }      // the number of slots
  const Type &elementType() const { return elementType_; } // type of the elements on the device
  // Whether the host, not the tiles, puts elements in order.
  bool isRearrangeOnHost() const { return rearrangeOnHost_; }
  // Whether tile memory was to be saved rather than time.
  bool isOptimisedForMemory() const { return optimiseMemory_; }
  // The stream into it, for messages and tools.
  DataStream getIpuToHostStream() const { return stream(DataStreamType::DeviceToHostBuffer); }
  // The stream out of it.
  DataStream getHostToIpuStream() const { return stream(DataStreamType::HostToDeviceBuffer); }
  friend bool operator==(const RemoteBuffer &a, const RemoteBuffer &b) {
    return a.handle_ == b.handle_;
  }
  friend bool operator!=(const RemoteBuffer &a, const RemoteBuffer &b) { return !(a == b); }

private:
  friend struct openipu::Access;
  RemoteBuffer(StringRef handle, const Type &elementType, std::size_t numElements,
               std::size_t repeats, unsigned replicationFactor, bool rearrangeOnHost,
               bool optimiseMemory)
      : handle_(handle), numElements_(numElements), repeats_(repeats),
        replicationFactor_(replicationFactor), rearrangeOnHost_(rearrangeOnHost),
        optimiseMemory_(optimiseMemory), elementType_(elementType) {}
  DataStream stream(DataStreamType type) const {
    DataStream out(handle_, type, elementType_, numElements_, replicationFactor_,
                   ReplicatedStreamMode::REPLICATE);
    out.graph_ = graph_;
    return out;
  }
  std::string handle_;
  std::size_t numElements_ = 0, repeats_ = 1;
  unsigned replicationFactor_ = 1;
  bool rearrangeOnHost_ = false, optimiseMemory_ = false;
  Type elementType_;
  std::uint64_t graph_ = 0; // the number of its graph
};

} // namespace poplar
