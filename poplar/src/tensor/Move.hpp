// SPDX-License-Identifier: MIT
// Moves of data between variables, as plain numbers.
#pragma once
#include <cstdint>
#include <vector>

namespace poplar::tensor {

constexpr std::uint32_t noVariable = 0xffffffffu; // a linear host buffer

struct MoveLoop {
  std::uint64_t extent;
  std::int64_t from, to; // strides in elements
  bool operator==(const MoveLoop &) const = default;
};

// Copies elements from one variable to another, or to or from a host buffer.
struct Move {
  std::uint32_t fromVar, toVar;
  std::int64_t fromOffset, toOffset; // elements
  std::uint8_t elementBytes;
  std::vector<MoveLoop> loops; // outermost first; empty = one element
  bool operator==(const Move &) const = default;
};

} // namespace poplar::tensor
