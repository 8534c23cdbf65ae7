// SPDX-License-Identifier: MIT
// What a collective does, and between whom: the part of gcl/Collectives.hpp that needs no graph.
#pragma once

namespace gcl {

// How values of the members are combined.
enum class CollectiveOperator {
  ADD,
  MEAN, // the sum divided by the size of the group
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  SQUARE_ADD, // the sum of squares
  LOCAL       // every replica keeps its own value
};

// Which replicas form a group.
enum class CommGroupType {
  ALL,         // one group
  CONSECUTIVE, // base, base + stride, ..., size of them
  ORTHOGONAL   // replicas of equal number modulo (replicas / size)
};

} // namespace gcl
