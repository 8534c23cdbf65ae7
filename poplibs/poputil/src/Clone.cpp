// SPDX-License-Identifier: MIT
// Clones of tensors on other IPUs, in other graphs, and without shared elements.
#include "base/Text.hpp"
#include "openipu/Placement.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/Util.hpp"
#include <algorithm>
#include <map>
#include <numeric>

namespace poputil {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::TensorCloneMethod;
using Mapping = Graph::TileToTensorMapping;

namespace {

// One interval for every element of memory, in the order of memory.
std::vector<Interval> withoutAliases(const Graph &graph, const Tensor &flat) {
  return flattenIntervals(
      graph.getSortedContiguousRegions(flat, {Interval(0, flat.numElements())}, true));
}

// What to copy so that dst, a clone, holds src: an element that dst shows twice is written once.
std::pair<Tensor, Tensor> copyOperands(const Graph &graph, const Tensor &src, const Tensor &dst) {
  const Tensor from = src.flatten(), to = dst.flatten();
  if (!to.containsAliases())
    return {from, to};
  const auto regions = withoutAliases(graph, to);
  return {poplar::concat(from.slices(regions)), poplar::concat(to.slices(regions))};
}

} // namespace

Tensor duplicate(Graph &graph, const Tensor &in, poplar::program::Sequence &prog,
                 const DebugContext &debugContext, TensorCloneMethod method) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, method));
  const Tensor out = graph.clone(in, {di}, method);
  const auto [from, to] = copyOperands(graph, in, out);
  prog.add(poplar::program::Copy(from, to, false, {di}));
  di.addOutput(out);
  return out;
}

Tensor cloneToIpu(Graph &graph, const Tensor &t, unsigned dstIPU, const DebugContext &debugContext,
                  TensorCloneMethod method) {
  const auto &target = graph.getTarget();
  const unsigned perIpu = target.getTilesPerIPU();
  if (dstIPU >= target.getNumIPUs())
    throw poplibs_error(base::str("cloneToIpu: IPU ", dstIPU, " does not exist: the graph has ",
                                  target.getNumIPUs(), " (counted from 0)."));
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dstIPU, method));
  const Tensor out = graph.clone(t, {di}, method);
  if (out.numElements() == 0)
    return out;
  // A clone is one variable, whose elements lie in the order of memory.
  const auto variable = graph.getVariable(out.flatten().slice(0, 1).getVarRegions().front().var);
  const auto mapping = graph.getTileMapping(variable, false);
  Mapping moved(mapping.size());
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    auto &there = moved[tile % perIpu + dstIPU * perIpu];
    there.insert(there.end(), mapping[tile].begin(), mapping[tile].end());
  }
  graph.setTileMapping(variable, moved);
  di.addOutput(out);
  return out;
}

Tensor createIpuCopy(Graph &graph, const Tensor &t, unsigned dstIpu, Tensor &copySrc,
                     Tensor &copyDst, const DebugContext &debugContext, TensorCloneMethod method) {
  const Tensor out = cloneToIpu(graph, t, dstIpu, debugContext, method);
  std::tie(copySrc, copyDst) = copyOperands(graph, t, out);
  return out;
}

Tensor copyToIpu(Graph &graph, const Tensor &t, poplar::program::Sequence &prog, unsigned dstIPU,
                 const DebugContext &debugContext, TensorCloneMethod method) {
  Tensor from, to;
  const Tensor out = createIpuCopy(graph, t, dstIPU, from, to, debugContext, method);
  prog.add(poplar::program::Copy(from, to, false, debugContext));
  return out;
}

namespace {

// The dimensions in the order of memory, outermost first, if the tensor fills memory without gaps.
bool memoryOrder(const Tensor &t, std::vector<unsigned> &order) {
  std::vector<std::int64_t> strides;
  if (!openipu::hasStrides(t, strides))
    return false;
  order.resize(t.rank());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  std::int64_t dense = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t size = t.dim(order[i]);
    if (size != 1 && strides[order[i]] != dense)
      return false;
    dense *= std::int64_t(size);
  }
  return true;
}

std::vector<unsigned> inverse(const std::vector<unsigned> &order) {
  std::vector<unsigned> out(order.size());
  for (unsigned i = 0; i < order.size(); ++i)
    out[order[i]] = i;
  return out;
}

// A flat tensor of one new variable that repeats the order and the aliases of t's memory.
Tensor sameMemory(Graph &dst, const Tensor &t, const DebugContext &context) {
  const auto regions = t.getVarRegions();
  std::map<poplar::VariableRef, std::vector<Interval>> used;
  for (const auto &region : regions)
    used[region.var].push_back(region.interval);
  std::map<poplar::VariableRef, std::vector<std::size_t>> starts;
  std::size_t size = 0;
  for (auto &[var, intervals] : used) {
    mergeAdjacentRegions(intervals);
    for (const Interval &interval : intervals) {
      starts[var].push_back(size);
      size += interval.size();
    }
  }
  const Tensor memory = dst.addVariable(t.elementType(), {size}, context);
  std::vector<Tensor> pieces;
  for (const auto &region : regions) {
    const auto &intervals = used[region.var];
    const auto at = std::upper_bound(intervals.begin(), intervals.end(), region.interval.begin(),
                                     [](std::size_t element, const Interval &interval) {
                                       return element < interval.begin();
                                     }) -
                    intervals.begin() - 1;
    const std::size_t begin =
        starts[region.var][at] + region.interval.begin() - intervals[at].begin();
    pieces.push_back(memory.slice(begin, begin + region.interval.size()));
  }
  return poplar::concat(pieces);
}

} // namespace

Tensor cloneToGraph(Graph &srcGraph, Graph &dstGraph, const Tensor &t,
                    const DebugContext &debugContext, TensorCloneMethod method) {
  if (srcGraph.getReplicationFactor() != dstGraph.getReplicationFactor())
    throw poplibs_error(base::str("cloneToGraph: the graphs have replication factors ",
                                  srcGraph.getReplicationFactor(), " and ",
                                  dstGraph.getReplicationFactor(), ", which must be equal."));
  if (t.elementType().requiresMetadata())
    throw poplibs_error("cloneToGraph: tensors of type " + t.elementType().toString() +
                        " carry metadata, which belongs to its own graph. Clone with "
                        "Graph::clone and the metadata of the other graph.");
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, method));
  const bool newOrder =
      method == TensorCloneMethod::CREATE_NEW_ORDER ||
      (method == TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES && t.containsAliases());
  std::vector<unsigned> order(t.rank());
  std::iota(order.begin(), order.end(), 0u);
  const bool permuted = newOrder || t.numElements() == 0 || memoryOrder(t, order);
  const Tensor from = permuted ? t.dimShuffle(order) : t;
  auto mapping = srcGraph.getTileMapping(from, false);
  const unsigned tiles = dstGraph.getTarget().getNumTiles();
  for (unsigned tile = tiles; tile < mapping.size(); ++tile)
    if (!mapping[tile].empty())
      throw poplibs_error(base::str("cloneToGraph: the tensor ", t.getDebugStr(), " uses tile ",
                                    tile, ", but the destination graph has ", tiles, " tiles."));
  mapping.resize(tiles);
  const Tensor to = permuted ? dstGraph.addVariable(t.elementType(), from.shape(), {di})
                             : sameMemory(dstGraph, t, {di}).reshape(t.shape());
  dstGraph.setTileMapping(to, mapping);
  return permuted ? to.dimShuffle(inverse(order)) : to;
}

std::pair<Tensor, unsigned> cloneAndExpandAliasing(Graph &graph, const Tensor &t, unsigned offset,
                                                   const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, offset));
  if (!t.containsAliases())
    return {graph.clone(t, {di}), offset};
  const Tensor from = t.flatten();
  const Tensor out = graph.addVariable(t.elementType(), t.shape(), {di});
  auto first = withoutAliases(graph, from);
  mergeAdjacentRegions(first);
  std::vector<Interval> again;
  std::size_t at = 0;
  for (const Interval &region : first) {
    if (at < region.begin())
      again.emplace_back(at, region.begin());
    at = region.end();
  }
  if (at < from.numElements())
    again.emplace_back(at, from.numElements());
  graph.setTileMapping(poplar::concat(out.flatten().slices(first)),
                       graph.getTileMapping(poplar::concat(from.slices(first))));
  const Tensor repeats = poplar::concat(out.flatten().slices(again));
  const auto linear = calcLinearTileMappingAndNewOffset(graph, repeats, offset);
  graph.setTileMapping(repeats, linear.first);
  return {out, linear.second};
}

} // namespace poputil
