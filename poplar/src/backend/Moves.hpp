// SPDX-License-Identifier: MIT
// Copies of strided pieces as loops over bytes: the form in which backends get them. Addresses are
// those of Image::variables (arenaOffset), or count from the start of a packed buffer.
#pragma once
#include "executable/Image.hpp"
#include <cstdint>
#include <vector>

namespace poplar::backend {

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

// A Move of the image with variables replaced by their places; `none` is a host buffer with base 0.
RawMove resolve(const executable::Move &move, const executable::Image &image);
std::vector<RawMove> resolve(const std::vector<executable::Move> &moves,
                             const executable::Image &image);

std::vector<std::int64_t> rowMajor(const std::vector<std::size_t> &shape); // strides in elements
// The moves that pack a view into a row-major buffer that starts at byte 0 of the destination.
std::vector<RawMove> packingMoves(const tensor::View &view, const executable::Image &image);

} // namespace poplar::backend
