// SPDX-License-Identifier: MIT
// Arithmetic on nested loops: a walk of `extent` positions given by loops from outermost to
// innermost. Position i of the walk is found by writing i in the mixed radix of the loops' extents.
#pragma once
#include "tensor/View.hpp"

namespace poplar::tensor {

// A part of a walk: positions [begin, begin + extent) of it, starting `offset` elements further on.
struct Part {
  std::size_t begin, extent;
  std::int64_t offset;
  std::vector<Loop> loops;
};

// Views that would fall apart into more pieces than memory holds are refused with poplar_error;
// so are walks of more ranges than anybody can wait for.
void requirePieces(std::uint64_t count);
constexpr std::uint64_t maxRangesKept = std::uint64_t(1) << 28;
constexpr std::uint64_t maxRangesWalked = std::uint64_t(1) << 30;
void requireRanges(const std::vector<Loop> &loops, std::uint64_t limit);

std::int64_t offsetAt(const std::vector<Loop> &loops, std::size_t position);

// Positions [lo, hi): at most two parts per level plus one.
std::vector<Part> cutLoops(const std::vector<Loop> &loops, std::size_t lo, std::size_t hi);

// Positions first, first + step, ... below extent. Part::begin is the position before stepping.
std::vector<Part> stepLoops(const std::vector<Loop> &loops, std::size_t extent, std::size_t first,
                            std::size_t step);

// Splits a walk into an outer one and an inner one of `innerSize` positions, when the loops divide
// that way.
bool splitLoops(const std::vector<Loop> &loops, std::size_t innerSize, std::vector<Loop> &outer,
                std::vector<Loop> &inner);

// One part per iteration of the outermost loop.
std::vector<Part> peelLoops(const std::vector<Loop> &loops, std::size_t extent);

// The same walk with neighbouring loops joined where the outer one goes on where the inner stops
// (dim is lost).
std::vector<Loop> mergedLoops(const std::vector<Loop> &loops);

// The same set of elements in memory order: positive strides, largest first, joined; start at
// lowestOffset.
std::vector<Loop> ascendingLoops(const std::vector<Loop> &loops);
std::int64_t lowestOffset(const Piece &piece);

} // namespace poplar::tensor
