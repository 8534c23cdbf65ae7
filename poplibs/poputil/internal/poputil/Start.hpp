// SPDX-License-Identifier: MIT
// Where small tensors begin. Those of one size begin on one tile, so that what belongs together (a
// parameter, its gradient and its momentum) lies together; those of different sizes do not all
// begin on tile 0.
#pragma once
#include "poplar/Graph.hpp"
#include "poputil/TileMapping.hpp"

namespace poputil {

// For linear mappings of so many elements; 0 when they fill the tiles.
inline unsigned startOf(const poplar::Graph &graph, std::size_t elements,
                        const poplar::Type &type) {
  const auto tiles = graph.getTarget().getNumTiles();
  constexpr std::size_t leastBytes = 128; // on a tile, as mapTensorLinearly has it
  const bool fills = elements * graph.getTarget().getTypeSize(type) >= leastBytes * tiles / 2;
  return fills ? 0 : unsigned(chooseMappingOffset(tiles, {elements})) / 2 * 2;
}

} // namespace poputil
