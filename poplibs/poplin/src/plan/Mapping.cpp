// SPDX-License-Identifier: MIT
// Tile mappings for the operands of a plan: each is spread evenly, in the order it lies in memory
// and in whole groups of channels, over the tiles that work on it.
#include "openipu/Placement.hpp"
#include "poplin/ConvPlan.hpp"
#include <algorithm>
#include <numeric>

namespace poplin {
namespace {

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// The same elements with dimensions in the order of memory, as one row.
poplar::Tensor inMemoryOrder(const poplar::Tensor &t) {
  std::vector<std::int64_t> strides;
  if (!openipu::hasStrides(t, strides))
    return t.flatten();
  std::vector<unsigned> order(t.rank());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    const auto rank = [&](unsigned d) { return t.dim(d) > 1 ? strides[d] : INT64_MAX; };
    return rank(a) > rank(b);
  });
  return t.dimShuffle(order).flatten();
}

// Consecutive tiles from `start`, round the end of the IPU, take `grain` elements or multiples.
void spread(poplar::Graph &graph, const poplar::Tensor &t, std::size_t grain, unsigned start,
            unsigned count) {
  const auto tiles = graph.getTarget().getTilesPerIPU();
  const auto elements = t.numElements();
  if (elements == 0)
    return;
  count = std::max(1u, std::min(count, tiles));
  grain = std::max<std::size_t>(1, grain);
  const auto each = ceilDiv(ceilDiv(elements, grain), count) * grain;
  poplar::Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
  std::size_t begin = 0;
  for (unsigned i = 0; begin < elements; ++i, begin += each)
    mapping[(start + i) % tiles].emplace_back(begin, std::min(begin + each, elements));
  graph.setTileMapping(inMemoryOrder(t), mapping);
}

// Groups apart from their channels: products keep groups outermost in memory.
poplar::Tensor withGroups(const poplar::Tensor &t, const ConvParams &params) {
  const auto groups = params.getNumConvGroups();
  return groups > 1 ? t.reshapePartial(1, 2, {groups, t.dim(1) / groups}) : t;
}

} // namespace

void mapInput(poplar::Graph &graph, const poplar::Tensor &in, const ConvParams &params,
              const ConvPlan &plan) {
  const auto grain = plan.swapOperands ? plan.partialChansPerGroup : plan.inChansPerGroup;
  const bool whole = params.getNumInputChans() % grain == 0;
  spread(graph, withGroups(in, params), whole ? grain : params.getNumInputChans(), plan.startTile,
         plan.tilesUsed());
}

void mapWeights(poplar::Graph &graph, const poplar::Tensor &weights, const ConvParams &params,
                const ConvPlan &plan) {
  const bool whole = params.getNumInputChansPerConvGroup() % plan.inChansPerGroup == 0;
  spread(graph, weights, whole ? plan.inChansPerGroup : 1, plan.startTile, plan.tilesUsed());
}

void mapOutput(poplar::Graph &graph, const poplar::Tensor &out, const ConvParams &params,
               const ConvPlan &plan) {
  const bool whole = params.getNumOutputChans() % plan.partialChansPerGroup == 0;
  const auto grain = plan.swapOperands ? 1u : plan.partialChansPerGroup;
  const auto tiles = plan.remapOutput ? graph.getTarget().getTilesPerIPU() : plan.tilesUsed();
  spread(graph, withGroups(out, params), whole ? grain : 1, plan.startTile, tiles);
}

} // namespace poplin
