// SPDX-License-Identifier: MIT
// Copies of strided pieces as loops over bytes: the form in which backends get them. Positions are
// offsets in the memory of a replica, or count from the start of a packed buffer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace poplar::openipu {

struct ByteLoop {
  std::uint64_t extent;
  std::int64_t from, to; // strides in bytes
};

// Strides and offsets in bytes, `unit` the element.
struct RawMove {
  std::int64_t from, to;
  std::uint64_t unit;
  std::vector<ByteLoop> loops; // outermost first
};

// From `to` to `from`.
std::vector<RawMove> reversed(std::vector<RawMove> moves);

// The same moves in two halves: into a packed buffer, and from it to the destinations.
struct PackedMoves {
  std::vector<RawMove> in, out;
  std::uint64_t bytes = 0;
};
PackedMoves throughBuffer(const std::vector<RawMove> &moves);

std::vector<std::int64_t> rowMajor(const std::vector<std::size_t> &shape); // strides in elements

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
