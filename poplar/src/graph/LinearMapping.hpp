// SPDX-License-Identifier: MIT
// Spreads elements over the tiles of a target in order: whole grains (one vector width), at least
// 128 bytes a tile.
#pragma once
#include "poplar/Graph.hpp"

namespace poplar::graph {

Graph::TileToTensorMapping linearMapping(const Target &target, std::size_t elements,
                                         const Type &type);

} // namespace poplar::graph
