// SPDX-License-Identifier: MIT
// The arithmetic of collectives: one value from the values of all members. Members are combined in
// a fixed order, a binary tree over their places in the group, whose blocks are aligned powers of
// two: ((0 1) (2 3)) ((4 5) 6). Whoever has all members of such a block may combine them before the
// others are there, and the bits of the result stay the same.
#pragma once
#include "gcl/openipu/CollectiveTypes.hpp"
#include "openipu/TypeId.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gcl {

struct Range { // of members
  unsigned begin, end;
};
// Elements of one member, or a block of members that were combined before (partial): those are
// contiguous and of the type that the arithmetic is done in.
struct Node {
  const std::byte *data;
  unsigned begin, end;
  bool partial;
};
// Reduces n elements, `stride` apart in every member and sink. Members may be sinks.
struct Tree {
  std::span<const Node> nodes; // in order, of all members or of one block
  unsigned members;            // of the group
  std::span<std::byte *const> to;
  std::int64_t fromStride, toStride; // elements
  std::size_t n;
};
// Into the sinks, or into `partial` if it is given.
void reduceTree(CollectiveOperator op, poplar::TypeId type, const Tree &tree, std::byte *partial);

struct Run { // of all members
  std::span<const std::byte *const> from;
  std::span<std::byte *const> to;
  std::int64_t fromStride, toStride; // elements
  std::size_t n;
};
void reduceRun(CollectiveOperator op, poplar::TypeId type, const Run &run);

std::size_t partialBytes(CollectiveOperator op, poplar::TypeId type); // of an element
// The largest blocks of the tree that neighbouring members make.
std::vector<Range> blocksOf(Range members, unsigned all);

} // namespace gcl
