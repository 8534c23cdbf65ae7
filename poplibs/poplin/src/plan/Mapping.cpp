// SPDX-License-Identifier: MIT
// Tile mappings for the operands of a plan: each is spread evenly, in the order it lies in memory
// and in whole groups of channels, over the tiles that work on it.
#include "base/Arithmetic.hpp"
#include "Ipus.hpp"
#include "openipu/Placement.hpp"
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace poplin {
namespace {

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

// The tiles of a plan that hold one part of an operand: `count` from `start` on, round the end of
// the IPU, on each of some IPUs.
struct Tiles {
  unsigned start, count;
  std::vector<unsigned> ipus;
};

// Tiles take `grain` elements or multiples, one after the other.
void spread(poplar::Graph &graph, const poplar::Tensor &t, std::size_t grain, const Tiles &on) {
  const auto tiles = graph.getTarget().getTilesPerIPU();
  const auto elements = t.numElements();
  if (elements == 0)
    return;
  const auto count = std::max(1u, std::min(on.count, tiles));
  grain = std::max<std::size_t>(1, grain);
  const auto each = base::ceilDiv(base::ceilDiv(elements, grain), count * on.ipus.size()) * grain;
  poplar::Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
  std::size_t begin = 0;
  for (unsigned i = 0; begin < elements; ++i, begin += each)
    mapping[on.ipus[i / count] * tiles + (on.start + i % count) % tiles].emplace_back(
        begin, std::min(begin + each, elements));
  graph.setTileMapping(inMemoryOrder(t), mapping);
}

// A dimension of an operand that is cut over IPUs, and which part a place has.
struct Cut {
  unsigned dim, parts;
  std::function<unsigned(const IpuPlace &)> part;
};

poplar::Tensor partOf(poplar::Tensor t, const std::vector<Cut> &cuts, const IpuPlace &place) {
  for (const auto &cut : cuts) {
    const auto size = t.dim(cut.dim), each = base::ceilDiv(size, cut.parts);
    const auto begin = std::min(size, each * cut.part(place));
    t = t.slice(begin, std::min(size, begin + each), cut.dim);
  }
  return t;
}

// Each part of the operand on the IPUs that need it.
void spreadParts(poplar::Graph &graph, const poplar::Tensor &t, std::size_t grain, unsigned count,
                 const ConvPlan &plan, const std::vector<Cut> &cuts) {
  std::map<std::vector<unsigned>, std::vector<unsigned>> users; // of each part
  for (unsigned ipu = 0; ipu < plan.ipus.count(); ++ipu) {
    std::vector<unsigned> part;
    for (const auto &cut : cuts)
      part.push_back(cut.part(placeOf(plan.ipus, ipu)));
    users[part].push_back(ipu);
  }
  for (const auto &[part, ipus] : users)
    spread(graph, partOf(t, cuts, placeOf(plan.ipus, ipus[0])), grain,
           {plan.startTile, count, ipus});
}

// Groups apart from their channels: products keep groups outermost in memory.
poplar::Tensor withGroups(const poplar::Tensor &t, const ConvParams &params) {
  const auto groups = params.getNumConvGroups();
  return groups > 1 ? t.reshapePartial(1, 2, {groups, t.dim(1) / groups}) : t;
}

// Results stay on the tiles that make them, where the next operator may well look for them, unless
// spreading them over all tiles lowers the fullest one's share by more than a tenth.
unsigned outputTiles(const ConvPlan &plan, unsigned all) {
  return plan.remapOutput && 10 * plan.tilesPerIpu() < 9 * all ? all : plan.tilesPerIpu();
}

// [batch][groups, if there are several][channels][field...].
std::vector<Cut> activationCuts(const ConvParams &params, const IpuSplit &split, unsigned channels,
                                std::function<unsigned(const IpuPlace &)> channel) {
  std::vector<Cut> cuts{{0, split.batch, [](const IpuPlace &p) { return p.batch; }}};
  unsigned dim = 1;
  if (params.getNumConvGroups() > 1)
    cuts.push_back({dim++, split.convGroups, [](const IpuPlace &p) { return p.convGroup; }});
  cuts.push_back({dim++, channels, std::move(channel)});
  for (unsigned d = 0; d < split.field.size() && d < params.getNumFieldDims(); ++d)
    cuts.push_back({dim++, split.field[d], [d](const IpuPlace &p) { return p.field[d]; }});
  std::erase_if(cuts, [](const Cut &cut) { return cut.parts == 1; });
  return cuts;
}

} // namespace

void mapInput(poplar::Graph &graph, const poplar::Tensor &in, const ConvParams &params,
              const ConvPlan &plan) {
  const auto grain = plan.swapOperands ? plan.partialChansPerGroup : plan.inChansPerGroup;
  const bool whole = params.getNumInputChans() % grain == 0;
  spreadParts(graph, withGroups(in, params), whole ? grain : params.getNumInputChans(),
              plan.tilesPerIpu(), plan,
              activationCuts(params, plan.ipus, plan.ipus.inChans,
                             [](const IpuPlace &p) { return p.inChan; }));
}

void mapWeights(poplar::Graph &graph, const poplar::Tensor &weights, const ConvParams &params,
                const ConvPlan &plan) {
  const bool whole = params.getNumInputChansPerConvGroup() % plan.inChansPerGroup == 0;
  std::vector<Cut> cuts{{0, plan.ipus.convGroups, [](const IpuPlace &p) { return p.convGroup; }},
                        {1, plan.ipus.outChans, [](const IpuPlace &p) { return p.outChan; }},
                        {2, plan.ipus.inChans, [](const IpuPlace &p) { return p.inChan; }}};
  std::erase_if(cuts, [](const Cut &cut) { return cut.parts == 1; });
  spreadParts(graph, weights, whole ? plan.inChansPerGroup : 1, plan.tilesPerIpu(), plan, cuts);
}

void mapOutput(poplar::Graph &graph, const poplar::Tensor &out, const ConvParams &params,
               const ConvPlan &plan) {
  // Channels that do not fill one group stay together, as those of an input do.
  const bool whole = params.getNumOutputChans() % plan.partialChansPerGroup == 0;
  const auto grain = plan.swapOperands ? 1u : plan.partialChansPerGroup;
  const auto channels = params.getNumOutputChans();
  const auto few = !plan.swapOperands && channels < grain ? channels : 1;
  const auto tiles = outputTiles(plan, graph.getTarget().getTilesPerIPU());
  spreadParts(graph, withGroups(out, params), whole ? grain : few, tiles, plan,
              activationCuts(params, plan.ipus, plan.ipus.outChans,
                             [](const IpuPlace &p) { return p.outChan; }));
}

} // namespace poplin
