// SPDX-License-Identifier: MIT
// Zeroed pages of the host that cost nothing until they are touched, aligned for every vector
// width.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace poplar::backend {

struct UnmapMemory {
  std::uint64_t size = 0;
  void operator()(std::byte *p) const;
};

class MappedMemory {
public:
  MappedMemory() = default;
  explicit MappedMemory(std::uint64_t size); // not 0; throws poplar_error if the host has no room
  std::byte *data() { return memory_.get(); }
  const std::byte *data() const { return memory_.get(); }
  explicit operator bool() const { return memory_ != nullptr; }

private:
  std::unique_ptr<std::byte[], UnmapMemory> memory_;
};

} // namespace poplar::backend
