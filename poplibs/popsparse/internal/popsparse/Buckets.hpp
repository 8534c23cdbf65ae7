// SPDX-License-Identifier: MIT
// Non-zero blocks in buckets of a planned size: values, and 16-bit words that say where they
// belong. A bucket's words are
//   groups, then for each group: part (2 words), lines, then for each line: line, count, stacks...
// A part is one of the plan's x * y parts of the matrix; lines and stacks (rows and columns of
// blocks) count from its first. Values follow in the same order. A bucket has blocks of its own
// part, and of others if theirs are full.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace popsparse {

struct BlockAt {
  std::uint32_t line, stack; // row and column of blocks
};
struct Placed {
  BlockAt at;
  std::uint32_t slot; // which block of the values
};

// Sizes that both sides need; all of eight bytes, so that its bytes are its values.
struct BucketLayout {
  std::uint64_t lines, stacks, blockRows, blockColumns, x, y, buckets, bucketBlocks, metaElements;
  std::uint64_t area() const { return blockRows * blockColumns; }
  std::uint64_t values() const { return buckets * bucketBlocks * area(); }
};

// In the order of the buckets. Throws poplibs_error if the words make no sense.
std::vector<Placed> decode(const BucketLayout &layout, std::span<const std::uint16_t> meta);

} // namespace popsparse
