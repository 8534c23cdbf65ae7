// SPDX-License-Identifier: MIT
// Where the elements of a tensor lie, without a list per tile: what planners ask.
#pragma once
#include "poplar/Graph.hpp"
#include <cstdint>
#include <vector>

namespace poplar::openipu {

struct TileElements {
  unsigned tile; // of the graph that was asked (virtual, for a virtual graph)
  std::uint64_t elements;
  std::uint32_t regions; // contiguous stretches of memory
};
// Ascending by tile; tiles without elements are left out. Elements that a view shows several times
// count several times. Throws invalid_tile_mapping, naming the tensor, when an element has no tile.
std::vector<TileElements> elementsByTile(const poplar::Graph &graph, const poplar::Tensor &tensor);

// A tile to begin at, another one after every variable that is made, so that what takes few tiles
// does not always take the first. Tiles 2i and 2i+1 stay a pair.
unsigned startTile(const poplar::Graph &graph);

// How two tensors share memory.
enum class Overlap { None, Same /* element i is element i */, Some };
Overlap overlap(const poplar::Tensor &a, const poplar::Tensor &b);

// Strides in elements of the variable behind a view, when one set of strides says it all (then a
// kernel sees the memory itself and no copy). Dimensions of one element have stride 0.
bool hasStrides(const poplar::Tensor &tensor, std::vector<std::int64_t> &strides);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
