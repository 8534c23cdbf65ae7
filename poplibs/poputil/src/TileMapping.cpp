// SPDX-License-Identifier: MIT
// Linear mappings, and questions about mappings.
#include "poputil/TileMapping.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Sizes.hpp"
#include "poputil/Start.hpp"
#include "SplitRegions.hpp"
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace poputil {

using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using Mapping = Graph::TileToTensorMapping;

unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending) {
  offset %= numTiles;
  return ascending ? (numTiles + tile - offset) % numTiles
                   : (2 * numTiles - 1 - offset - tile) % numTiles;
}
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending) {
  offset %= numTiles;
  return ascending ? (tile + offset) % numTiles : (2 * numTiles - 1 - offset - tile) % numTiles;
}

namespace {

struct Linear {
  std::size_t grain, minElements;
};
Linear defaultLinear(const poplar::Target &target, const poplar::Type &type) {
  const std::size_t size = target.getTypeSize(type);
  return {target.getVectorWidth(type), base::ceilDiv(128, size)};
}

// Writes the mapping into `out`, keeping the memory that its vectors have. Returns the tiles used.
std::size_t fillLinear(Mapping &out, unsigned numTiles, std::size_t elements, Linear linear,
                       unsigned offset, bool ascending) {
  const auto parts = partitionGrains(elements, std::max<std::size_t>(1, linear.grain), numTiles,
                                     linear.minElements, std::numeric_limits<std::size_t>::max());
  out.resize(numTiles);
  for (auto &regions : out)
    regions.clear();
  for (std::size_t part = 0; part < parts.parts; ++part)
    out[invTransformTileIndex(static_cast<unsigned>(part), numTiles, offset, ascending)]
        .emplace_back(parts.begin(part), parts.begin(part + 1));
  return parts.parts;
}

void mapLinearly(Graph &graph, const Tensor &t, Linear linear, unsigned offset, bool ascending) {
  // Programs map thousands of tensors: 1472 small allocations each would cost more than the rest.
  thread_local Mapping mapping;
  fillLinear(mapping, graph.getTarget().getNumTiles(), t.numElements(), linear, offset, ascending);
  graph.setTileMapping(t, mapping);
}

} // namespace

Mapping calcLinearTileMapping(const poplar::Target &target, const std::vector<std::size_t> &shape,
                              unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                              bool ascendingOrder) {
  Mapping out;
  fillLinear(out, target.getNumTiles(), elementsOf(shape, "calcLinearTileMapping"),
             {grainSize, minElementsPerTile}, offset, ascendingOrder);
  return out;
}
Mapping calcLinearTileMapping(const Graph &graph, const std::vector<std::size_t> &shape,
                              unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                              bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), shape, minElementsPerTile, grainSize, offset,
                               ascendingOrder);
}
Mapping calcLinearTileMapping(const poplar::Target &target, const std::vector<std::size_t> &shape,
                              const poplar::Type &type, unsigned offset, bool ascendingOrder) {
  Mapping out;
  fillLinear(out, target.getNumTiles(), elementsOf(shape, "calcLinearTileMapping"),
             defaultLinear(target, type), offset, ascendingOrder);
  return out;
}
Mapping calcLinearTileMapping(const Graph &graph, const Tensor &t, unsigned offset,
                              bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), t.shape(), t.elementType(), offset,
                               ascendingOrder);
}
std::pair<Mapping, unsigned> calcLinearTileMappingAndNewOffset(const Graph &graph, const Tensor &t,
                                                               unsigned offset) {
  const auto &target = graph.getTarget();
  Mapping out;
  const auto used = fillLinear(out, target.getNumTiles(), t.numElements(),
                               defaultLinear(target, t.elementType()), offset, true);
  return {std::move(out), static_cast<unsigned>((offset + used) % target.getNumTiles())};
}

void mapTensorLinearly(Graph &graph, const Tensor &t, unsigned minElementsPerTile,
                       unsigned grainSize) {
  mapLinearly(graph, t, {grainSize, minElementsPerTile}, 0, true);
}
void mapTensorLinearly(Graph &graph, const Tensor &t) { mapTensorLinearlyWithOffset(graph, t); }
void mapTensorLinearlyWithOffset(Graph &graph, const Tensor &t, unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset, bool ascendingOrder) {
  mapLinearly(graph, t, {grainSize, minElementsPerTile}, offset, ascendingOrder);
}
void mapTensorLinearlyWithOffset(Graph &graph, const Tensor &t, unsigned offset,
                                 bool ascendingOrder) {
  mapLinearly(graph, t, defaultLinear(graph.getTarget(), t.elementType()), offset, ascendingOrder);
}

std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape,
                                std::size_t seed) {
  // The step of MurmurHash2 for 64 bits: programs count on the tiles that it gives.
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995;
  for (std::uint64_t size : shape) {
    size *= factor;
    size = (size ^ size >> 47) * factor;
    seed = (seed ^ size) * factor + 0xe6546b64;
  }
  return seed % numTiles;
}
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape) {
  return chooseMappingOffset(numTiles, shape, 0x9e3779b9);
}

unsigned getTileImbalance(const Mapping &mapping, unsigned minElementsPerTile, unsigned grainSize) {
  std::size_t fullest = 0, total = 0;
  for (const auto &regions : mapping) {
    std::size_t elements = 0;
    for (const Interval &region : regions)
      elements += region.size();
    fullest = std::max(fullest, elements);
    total += elements;
  }
  const auto roundUp = [](std::size_t a, std::size_t b) { return base::roundUp(a, b); };
  const std::size_t tiles = std::max<std::size_t>(1, mapping.size());
  const std::size_t even = std::max<std::size_t>(
      minElementsPerTile, roundUp(base::ceilDiv(total, tiles), std::max(1u, grainSize)));
  return static_cast<unsigned>(fullest > even ? fullest - even : 0);
}
unsigned getTileImbalance(const Graph &graph, const Tensor &t, unsigned minElementsPerTile,
                          unsigned grainSize) {
  return getTileImbalance(graph.getTileMapping(t), minElementsPerTile, grainSize);
}

namespace {

void checkDimension(const char *call, const Tensor &t, unsigned dimension) {
  if (dimension >= t.rank())
    throw poplibs_error(base::str(call, ": dimension ", dimension, " of a tensor of shape ",
                                  base::list(t.shape()), " does not exist."));
}

// With the dimension innermost, a place holds whole rows exactly if its regions end at rows' ends.
bool splitsRows(Mapping places, std::size_t row) {
  for (auto &regions : places) {
    std::sort(regions.begin(), regions.end());
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const bool joined = i > 0 && regions[i - 1].end() == regions[i].begin();
      if (!joined && regions[i].begin() % row != 0)
        return true;
    }
  }
  return false;
}

} // namespace

bool dimIsSplitOverTiles(const Graph &graph, const Tensor &t, unsigned dimension) {
  checkDimension("dimIsSplitOverTiles", t, dimension);
  if (t.dim(dimension) < 2)
    return false;
  return splitsRows(graph.getTileMapping(t.dimRoll(dimension, t.rank() - 1)), t.dim(dimension));
}

bool dimIsSplitOverIPUs(const Graph &graph, const Tensor &t, unsigned dimension) {
  checkDimension("dimIsSplitOverIPUs", t, dimension);
  const auto &target = graph.getTarget();
  if (t.dim(dimension) < 2 || target.getNumIPUs() == 1)
    return false;
  const auto tiles = graph.getTileMapping(t.dimRoll(dimension, t.rank() - 1));
  Mapping ipus(target.getNumIPUs());
  for (unsigned tile = 0; tile < tiles.size(); ++tile) {
    auto &ipu = ipus[tile / target.getTilesPerIPU()];
    ipu.insert(ipu.end(), tiles[tile].begin(), tiles[tile].end());
  }
  return splitsRows(std::move(ipus), t.dim(dimension));
}

Tensor createBroadcastOperand(Graph &graph, const Tensor &full, const poplar::Type &type,
                              unsigned dim, bool ditherMapping,
                              const poplar::DebugContext &debugContext) {
  checkDimension("createBroadcastOperand", full, dim);
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(full, type, dim, ditherMapping));
  const auto &target = graph.getTarget();
  const std::size_t size = full.dim(dim);
  const Tensor out = graph.addVariable(type, {size}, {di});
  const unsigned start =
      ditherMapping ? unsigned(chooseMappingOffset(target.getNumTiles(), full.shape())) : 0;
  if (full.numElements() == 0 || !dimIsSplitOverTiles(graph, full, dim)) {
    // With reduced values of the same size: gradients of parameters.
    mapTensorLinearlyWithOffset(graph, out, ditherMapping ? start : startOf(graph, size, type));
    return out;
  }
  const std::size_t rest = full.numElements() / size;
  const auto mapping = graph.getTileMapping(full.dimRoll(dim, 0));
  TensorUseTracker uses(target.getNumTiles(), start);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &region : mapping[tile])
      uses.add(graph, tile, out.slice(region.begin() / rest, (region.end() - 1) / rest + 1));
  const auto grain =
      std::max<std::size_t>(1, target.getDataPathWidth() / (8 * target.getTypeSize(type)));
  uses.mapTensorsByUse(graph, static_cast<unsigned>(grain), 0, false,
                       TensorUseTracker::MappingMethod::ConstrainMappingToUsedTiles);
  di.addOutput(out);
  return out;
}

} // namespace poputil
