// SPDX-License-Identifier: MIT
// Tiles that are set apart, for input and output or for collectives.
#pragma once
#include <poplar/Graph.hpp>
#include <vector>

namespace gcl {

// Tiles [offset, offset + numTiles) of every IPU, counted in an order that is spread over the chip
// and keeps the two tiles of a pair together: calls with disjoint ranges give disjoint tiles.
// sorted: in ascending order. tilePairs: only whole pairs; offset and numTiles must be even.
std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset, unsigned numTiles,
                                  bool sorted = false, bool tilePairs = false);

// The fewest tiles of an IPU that may be set apart for input and output.
unsigned getMinIoTiles(const poplar::Graph &graph);

} // namespace gcl
