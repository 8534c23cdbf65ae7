// SPDX-License-Identifier: MIT
#include "graph/LinearMapping.hpp"
#include "base/Arithmetic.hpp"
#include "base/CheckedSize.hpp"
#include <algorithm>

namespace poplar::graph {

Graph::TileToTensorMapping linearMapping(const Target &target, std::size_t elements,
                                         const Type &type) {
  std::size_t grain = std::max(1u, target.getVectorWidth(type)), tiles = target.getNumTiles();
  auto minGrains = base::ceilDiv(base::ceilDiv(128, target.getTypeSize(type)), grain);
  auto grains = base::ceilDiv(elements, grain);
  Graph::TileToTensorMapping out(tiles);
  if (grains == 0)
    return out;
  auto partitions = std::min(tiles, std::max<std::size_t>(1, grains / minGrains));
  auto used = base::ceilDiv(grains, base::ceilDiv(grains, partitions));
  for (std::size_t v = 0; v < used; ++v) {
    auto begin = base::beginOfPart(grains, v, used) * grain,
         end = std::min(elements, base::beginOfPart(grains, v + 1, used) * grain);
    if (begin < end)
      out[v].push_back({begin, end});
  }
  return out;
}

} // namespace poplar::graph
