// SPDX-License-Identifier: MIT
// What a clone keeps of the order and the aliasing of the original.
#pragma once
#include <string>

namespace poplar {

enum class TensorCloneMethod {
  PRESERVE_ORDER_AND_ALIASES,
  CREATE_NEW_ORDER,
  PRESERVE_ORDER_UNLESS_ALIASES,
  GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
};

// How cloneN lays out its copies: one after the other, or side by side on each tile.
enum class TensorCloneDuplicationMethod {
  DUPLICATE_BY_OUTER_DIMENSION,
  DUPLICATE_BY_TILE_CONTIGUOUS_REGION
};

std::string toString(const TensorCloneMethod &method);
std::string toString(const TensorCloneDuplicationMethod &method);

} // namespace poplar
