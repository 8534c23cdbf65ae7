// SPDX-License-Identifier: MIT
// The memory of one replica: every variable at its arenaOffset, then scratch for gathered fields
// and operands. In checked mode a shadow of the same size tells which bytes were ever written.
#pragma once
#include "backend/MappedMemory.hpp"
#include "executable/Image.hpp"
#include <cstddef>
#include <cstdint>

namespace poplar::backend::cpu {

// Scratch begins behind the variables, as well aligned as they are.
inline std::uint64_t scratchStart(const executable::Image &image) {
  return (image.arenaBytes + 63) / 64 * 64;
}

enum class Fill : std::uint8_t {
  Zero = 0,
  Poison = 0xff
}; // 0xff..: not a number in every float type

class Arena {
public:
  Arena() = default;
  Arena(std::uint64_t variableBytes, std::uint64_t scratchBytes, bool withShadow);

  std::byte *data() { return memory_.data(); }
  const std::byte *data() const { return memory_.data(); }
  std::byte *shadow() { return shadow_.data(); } // null unless checked
  std::uint64_t size() const { return size_; }

  // Contents at load: `fill`, then constants, initial values and the replication index.
  void reset(const executable::Image &image, unsigned replica, Fill fill);

private:
  void set(std::uint64_t offset, const void *bytes, std::size_t n);

  std::uint64_t size_ = 0;
  MappedMemory memory_, shadow_;
  bool touched_ = false;
};

} // namespace poplar::backend::cpu
