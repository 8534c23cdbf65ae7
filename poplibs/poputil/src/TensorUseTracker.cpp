// SPDX-License-Identifier: MIT
// Uses of variables by tiles, as intervals. Resolving: cut every variable into segments that the
// same tiles use, widen them to grains or neighbours if asked to, then share the segments of each
// set of tiles out among the set.
#include "base/Arithmetic.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/Util.hpp"
#include <algorithm>
#include <map>
#include <set>

namespace poputil {

using poplar::Interval;
using Tiles = std::vector<unsigned>; // ascending

namespace {

struct Use {
  Interval elements;
  unsigned tile;
};
struct Segment {
  Interval elements;
  Tiles tiles;
};
using Segments = std::vector<Segment>; // ascending, disjoint

Tiles unite(const Tiles &a, const Tiles &b) {
  Tiles out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

// Neighbours used by the same tiles become one.
void append(Segments &segments, Segment segment) {
  if (segment.elements.size() == 0)
    return;
  if (!segments.empty() && segments.back().elements.end() == segment.elements.begin() &&
      segments.back().tiles == segment.tiles)
    segments.back().elements = {segments.back().elements.begin(), segment.elements.end()};
  else
    segments.push_back(std::move(segment));
}

Segments toSegments(const std::vector<Use> &uses) {
  std::map<std::size_t, std::vector<std::pair<unsigned, int>>> edges; // element -> tile, +1 or -1
  for (const Use &use : uses) {
    edges[use.elements.begin()].emplace_back(use.tile, 1);
    edges[use.elements.end()].emplace_back(use.tile, -1);
  }
  Segments out;
  std::map<unsigned, int> active;
  std::size_t last = 0;
  for (const auto &[element, changes] : edges) {
    if (!active.empty()) {
      Tiles tiles;
      for (const auto &[tile, count] : active)
        tiles.push_back(tile);
      append(out, {{last, element}, std::move(tiles)});
    }
    for (const auto &[tile, change] : changes)
      if ((active[tile] += change) == 0)
        active.erase(tile);
    last = element;
  }
  return out;
}

// Elements that nobody uses get the tiles of both neighbours.
Segments extend(const Segments &segments, std::size_t elements) {
  Segments out;
  std::size_t at = 0;
  const Tiles none;
  const Tiles *before = &none;
  for (const Segment &segment : segments) {
    append(out, {{at, segment.elements.begin()}, unite(*before, segment.tiles)});
    append(out, segment);
    at = segment.elements.end();
    before = &segment.tiles;
  }
  if (!segments.empty())
    append(out, {{at, elements}, *before});
  return out;
}

// A segment used by all tiles of a neighbouring segment and more joins that neighbour.
Segments giveHalosToNeighbours(Segments segments) {
  const auto within = [&](std::size_t inner, std::size_t outer) {
    const Tiles &a = segments[inner].tiles, &b = segments[outer].tiles;
    return a.size() < b.size() && std::includes(b.begin(), b.end(), a.begin(), a.end());
  };
  Segments out;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Interval &here = segments[i].elements;
    const bool left = i > 0 && segments[i - 1].elements.end() == here.begin() && within(i - 1, i);
    const bool right = i + 1 < segments.size() && segments[i + 1].elements.begin() == here.end() &&
                       within(i + 1, i);
    if (left && right) {
      const std::size_t middle = here.begin() + here.size() / 2;
      append(out, {{here.begin(), middle}, segments[i - 1].tiles});
      append(out, {{middle, here.end()}, segments[i + 1].tiles});
    } else {
      append(out, {here, left    ? segments[i - 1].tiles
                         : right ? segments[i + 1].tiles
                                 : segments[i].tiles});
    }
  }
  return out;
}

// Grains that several segments cut are used by the tiles of all of them. Elements nobody uses keep
// apart.
Segments widenToGrains(const Segments &segments, std::size_t grain) {
  Segments pieces; // cut where a grain is shared
  for (const Segment &s : segments) {
    const std::size_t begin = s.elements.begin(), end = s.elements.end();
    const std::size_t first = std::min(end, base::roundUp(begin, grain));
    const std::size_t last = std::max(first, end / grain * grain);
    for (const Interval &piece :
         {Interval(begin, first), Interval(first, last), Interval(last, end)})
      if (piece.size())
        pieces.push_back({piece, s.tiles});
  }
  Segments out;
  for (std::size_t i = 0; i < pieces.size();) {
    const std::size_t block = pieces[i].elements.begin() / grain;
    Tiles tiles = pieces[i].tiles;
    std::size_t end = i + 1;
    for (; end < pieces.size() && pieces[end].elements.begin() / grain == block; ++end)
      tiles = unite(tiles, pieces[end].tiles);
    for (; i < end; ++i)
      append(out, {pieces[i].elements, tiles});
  }
  return out;
}

} // namespace

struct TensorUseTracker::Impl {
  unsigned numTiles, startTile;
  bool ascending;
  std::map<poplar::VariableRef, std::vector<Use>> uses;

  void share(const std::vector<Interval> &regions, Tiles tiles, unsigned grain,
             unsigned minElements, std::vector<Use> &out) const {
    std::sort(tiles.begin(), tiles.end(), [&](unsigned a, unsigned b) {
      return transformTileIndex(a, numTiles, startTile, ascending) <
             transformTileIndex(b, numTiles, startTile, ascending);
    });
    const auto parts = splitRegions(regions, grain, unsigned(tiles.size()), minElements);
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (const Interval &region : parts[i])
        out.push_back({region, tiles[i]});
  }

  std::vector<Use> resolved(const std::vector<Use> &all, std::size_t elements, unsigned grain,
                            unsigned minElements, bool extendPartial, MappingMethod method) const {
    Segments segments = toSegments(all);
    if (extendPartial)
      segments = extend(segments, elements);
    if (method == MappingMethod::OptimizeHaloRegions)
      segments = giveHalosToNeighbours(std::move(segments));
    if (method != MappingMethod::ConstrainMappingToUsedTiles)
      segments = widenToGrains(segments, grain);
    std::map<Tiles, std::vector<Interval>> bySet;
    for (const Segment &segment : segments)
      bySet[segment.tiles].push_back(segment.elements);
    std::vector<Use> out;
    for (const auto &[tiles, regions] : bySet)
      share(regions, tiles, grain, minElements, out);
    std::sort(out.begin(), out.end(),
              [](const Use &a, const Use &b) { return a.elements < b.elements; });
    return out;
  }
};

TensorUseTracker::TensorUseTracker(unsigned numTiles, unsigned startTile,
                                   bool ascendingMappingOrder)
    : impl_(new Impl{numTiles, startTile, ascendingMappingOrder, {}}) {
  if (numTiles == 0)
    throw poplibs_error("TensorUseTracker: there must be at least one tile.");
}
TensorUseTracker::~TensorUseTracker() = default;
TensorUseTracker::TensorUseTracker(const TensorUseTracker &other) : impl_(new Impl(*other.impl_)) {}
TensorUseTracker::TensorUseTracker(TensorUseTracker &&) noexcept = default;
TensorUseTracker &TensorUseTracker::operator=(const TensorUseTracker &other) {
  impl_.reset(new Impl(*other.impl_));
  return *this;
}
TensorUseTracker &TensorUseTracker::operator=(TensorUseTracker &&) noexcept = default;

void TensorUseTracker::add(const poplar::Graph &, unsigned tile, const poplar::Tensor &t) {
  if (tile >= impl_->numTiles)
    throw poplibs_error("TensorUseTracker::add: tile " + std::to_string(tile) +
                        " does not exist; the tracker was made for " +
                        std::to_string(impl_->numTiles) + " tiles.");
  for (const auto &region : t.getVarRegions())
    impl_->uses[region.var].push_back({region.interval, tile});
}

void TensorUseTracker::add(TensorUseTracker other) {
  for (const auto &[var, uses] : other.impl_->uses) {
    auto &mine = impl_->uses[var];
    mine.insert(mine.end(), uses.begin(), uses.end());
  }
}

void TensorUseTracker::resolve(const poplar::Graph &graph, unsigned grainSize,
                               unsigned minElementsPerTile, bool extendPartialUsage,
                               MappingMethod mappingMethod) {
  for (auto &[var, uses] : impl_->uses)
    uses = impl_->resolved(uses, graph.getVariable(var).numElements(), grainSize,
                           minElementsPerTile, extendPartialUsage, mappingMethod);
}

void TensorUseTracker::mapTensorsByUse(poplar::Graph &graph, unsigned grainSize,
                                       unsigned minElementsPerTile, bool extendPartialUsage,
                                       MappingMethod mappingMethod) {
  resolve(graph, grainSize, minElementsPerTile, extendPartialUsage, mappingMethod);
  for (const auto &[var, uses] : impl_->uses) {
    poplar::Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
    for (const Use &use : uses)
      mapping.at(use.tile).push_back(use.elements);
    graph.setTileMapping(graph.getVariable(var), mapping);
  }
}

bool TensorUseTracker::empty() const { return impl_->uses.empty(); }

} // namespace poputil
