// SPDX-License-Identifier: MIT
#include "gcl/TileAllocation.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <numeric>

namespace gcl {

// Pairs in steps of about 0.618 of their number, the step that leaves no two early ones close.
static std::vector<unsigned> spreadTiles(unsigned tiles) {
  unsigned pairs = tiles / 2;
  auto step = std::max(1u, unsigned(pairs * 0.6180339887));
  while (std::gcd(step, std::max(1u, pairs)) != 1)
    ++step;
  std::vector<unsigned> order;
  for (std::uint64_t i = 0; i != pairs; ++i) {
    auto pair = unsigned(i * step % pairs);
    order.push_back(2 * pair);
    order.push_back(2 * pair + 1);
  }
  if (tiles % 2)
    order.push_back(tiles - 1);
  return order;
}

std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset, unsigned numTiles,
                                  bool sorted, bool tilePairs) {
  auto tiles = graph.getTarget().getTilesPerIPU();
  if (std::uint64_t(offset) + numTiles > tiles)
    throw poputil::poplibs_error(base::str("gcl::perIPUTiles: tiles ", offset, " to ",
                                           std::uint64_t(offset) + numTiles,
                                           " were asked for, but an IPU has ", tiles, '.'));
  if (tilePairs && (offset % 2 || numTiles % 2))
    throw poputil::poplibs_error(base::str("gcl::perIPUTiles: pairs of tiles need an even offset "
                                           "and number; got ",
                                           offset, " and ", numTiles, '.'));
  auto order = spreadTiles(tiles);
  std::vector<unsigned> out(order.begin() + offset, order.begin() + offset + numTiles);
  if (sorted)
    std::sort(out.begin(), out.end());
  return out;
}

// Host exchange wants so many, whatever the graph.
unsigned getMinIoTiles(const poplar::Graph &) { return 32; }

} // namespace gcl
