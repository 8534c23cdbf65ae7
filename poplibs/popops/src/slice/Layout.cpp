// SPDX-License-Identifier: MIT
#include "slice/Layout.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Placement.hpp"
#include "popops/DynamicSlice.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poputil::poplibs_error;
using poputil::PoplibsOpDebugInfo;

namespace slice {

namespace {

constexpr std::size_t mostRuns = 1 << 17; // of one variable's tile mapping

void append(std::vector<Interval> &to, std::size_t begin, std::size_t end) {
  if (begin == end)
    return;
  if (!to.empty() && to.back().end() == begin)
    to.back() = {to.back().begin(), end};
  else
    to.push_back({begin, end});
}

// Whole rows, as many for every tile.
Graph::TileToTensorMapping byRows(std::size_t tiles, std::size_t rows, std::size_t columns,
                                  std::size_t used) {
  Graph::TileToTensorMapping mapping(tiles);
  for (std::size_t i = 0; i != used; ++i) {
    auto part = partOf(rows, used, i);
    append(mapping[i], part.begin() * columns, part.end() * columns);
  }
  return mapping;
}

Interval columnsOf(std::size_t columns, const Grid &grid, std::size_t part) {
  auto grains = partOf(base::ceilDiv(columns, grid.grain), grid.columnParts, part);
  return {std::min(columns, grains.begin() * grid.grain),
          std::min(columns, grains.end() * grid.grain)};
}

} // namespace

void mapGrid(Graph &graph, const Tensor &t, const Grid &grid) {
  auto groups = t.dim(0), rows = t.dim(1), columns = t.dim(2);
  std::size_t tiles = graph.getTarget().getNumTiles();
  auto used = grid.groupParts * grid.columnParts * grid.rowParts;
  const bool whole = grid.columnParts == 1; // rows, which then lie one behind the other
  const auto parts = whole ? grid.rowParts : grid.columnParts;
  if (groups > mostRuns || (!whole && rows > mostRuns) ||
      groups * parts * (whole ? 1 : rows) > mostRuns)
    return graph.setTileMapping(t, byRows(tiles, groups * rows, columns, used));
  Graph::TileToTensorMapping mapping(tiles);
  for (std::size_t gp = 0; gp != grid.groupParts; ++gp)
    for (std::size_t rp = 0; rp != grid.rowParts; ++rp) {
      auto someGroups = partOf(groups, grid.groupParts, gp);
      auto someRows = partOf(rows, grid.rowParts, rp);
      for (auto g = someGroups.begin(); g != someGroups.end(); ++g)
        if (whole)
          append(mapping[gp * grid.rowParts + rp], (g * rows + someRows.begin()) * columns,
                 (g * rows + someRows.end()) * columns);
        else
          for (auto r = someRows.begin(); r != someRows.end(); ++r)
            for (std::size_t cp = 0; cp != grid.columnParts; ++cp) {
              auto some = columnsOf(columns, grid, cp);
              auto row = (g * rows + r) * columns;
              append(mapping[(gp * grid.columnParts + cp) * grid.rowParts + rp], row + some.begin(),
                     row + some.end());
            }
    }
  graph.setTileMapping(t, mapping);
}

Tensor addSlicedFirst(Graph &graph, const Type &type, const Sizes &shape, const Sizes &dims,
                      const DebugContext &context, Tensor *stored) {
  std::vector<unsigned> order(dims.begin(), dims.end()), back(shape.size());
  for (unsigned d = 0; d != shape.size(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      order.push_back(d);
  Sizes storedShape;
  for (unsigned i = 0; i != order.size(); ++i) {
    storedShape.push_back(shape[order[i]]);
    back[order[i]] = i;
  }
  *stored = graph.addVariable(type, storedShape, context);
  return stored->dimShuffle(back);
}

Tensor slicesLike(Graph &graph, const Tensor &t, const Sizes &dims, const Sizes &sizes,
                  std::size_t lookups, const DebugContext &context) {
  auto first = firstSlice(t, dims, sizes);
  std::size_t runs = 0;
  if (first.numElements() && lookups)
    for (const auto &at : openipu::elementsByTile(graph, first))
      runs += at.regions;
  if (runs * lookups <= mostRuns && lookups && first.numElements())
    return graph.cloneN(first, lookups, context);
  Sizes shape = first.shape();
  shape.insert(shape.begin(), lookups);
  auto out = t.hasMetadata() ? graph.addVariable(t.elementType(), t.getMetadata(), shape, context)
                             : graph.addVariable(t.elementType(), shape, context);
  poputil::mapTensorLinearly(graph, out);
  return out;
}

const SlicePlanInternal *planFor(const std::string &call, const SlicePlan &plan, const Type &type,
                                 std::size_t groups, const Sizes &shape, const Sizes &dims,
                                 const Sizes &sizes) {
  const auto *p = plan.getImpl();
  if (!p)
    return nullptr;
  bool oneRow = dims.size() == 1 && sizes[0] == 1;
  auto entries = oneRow ? shape[dims[0]] : 0;
  auto columns = oneRow && entries ? product(shape) / entries : p->table.columns;
  if (!oneRow || p->table.entries != entries || p->table.columns != columns ||
      p->table.type != type || p->table.groups != groups)
    throw poplibs_error(base::str(
        call, ": the plan was made for ", p->table.groups, " tables of ", p->table.entries,
        " entries by ", p->table.columns, " elements of ", p->table.type,
        ", looked up one entry at a time; here are ", groups, " of shape ", base::list(shape),
        " of ", type, ", sliced in ", base::list(dims), " by ", base::list(sizes), '.'));
  return p;
}

void needPlan(const std::string &call, const SlicePlan &plan) {
  if (!plan.getImpl())
    throw poplibs_error(base::str(call, ": grouped slicing needs a plan; make one with "
                                        "popops::embedding::plan and this group size."));
}

Tensor plannedSlices(Graph &graph, const Type &type, const Tensor *like,
                     const SlicePlanInternal &plan, std::size_t lookups, const Sizes &sliceShape,
                     const DebugContext &context) {
  Sizes shape{plan.table.groups, lookups};
  shape.insert(shape.end(), sliceShape.begin(), sliceShape.end());
  auto out = like && like->hasMetadata()
                 ? graph.addVariable(type, like->getMetadata(), shape, context)
                 : graph.addVariable(type, shape, context);
  const auto &s = plan.split;
  if (out.numElements())
    mapGrid(graph, out.reshape({plan.table.groups, lookups, plan.table.columns}),
            {s.groupSplit, s.unslicedDimSplit, s.slicedDimSplit * s.lookupParallelSplit,
             s.unslicedGrainSize});
  return out;
}

namespace {

// The dimensions that a slice really cuts.
Sizes cutDims(const Sizes &shape, const Sizes &dims, const Sizes &sizes) {
  Sizes out;
  for (std::size_t i = 0; i != dims.size(); ++i)
    if (sizes[i] != shape[dims[i]] || shape[dims[i]] == 1)
      out.push_back(dims[i]);
  return out;
}

Tensor plannedTable(Graph &graph, const Type &type, const Sizes &shape, const Sizes &dims,
                    const SlicePlanInternal &plan, const DebugContext &context) {
  Sizes grouped = shape, groupedDims{0, dims[0] + 1};
  grouped.insert(grouped.begin(), plan.table.groups);
  Tensor stored;
  auto out = addSlicedFirst(graph, type, grouped, groupedDims, context, &stored);
  const auto &s = plan.split;
  if (stored.numElements())
    mapGrid(graph, stored.reshape({plan.table.groups, plan.table.entries, plan.table.columns}),
            {s.groupSplit, s.unslicedDimSplit, s.slicedDimSplit * s.lookupParallelSplit,
             s.unslicedGrainSize});
  return out;
}

Tensor indices(Graph &graph, const Sizes &shape, const DebugContext &context) {
  auto out = graph.addVariable(poplar::UNSIGNED_INT, shape, context);
  constexpr unsigned leastPerTile = 32;
  poputil::mapTensorLinearly(graph, out, leastPerTile, 1);
  return out;
}

} // namespace
} // namespace slice

using namespace slice;

Tensor createSliceableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                             const std::vector<std::size_t> &dims,
                             const std::vector<std::size_t> &sizes, std::size_t minGrainSize,
                             const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, shape, dims, sizes, minGrainSize));
  checkSlice("popops::createSliceableTensor", shape, dims, sizes);
  auto cut = cutDims(shape, dims, sizes);
  Tensor stored;
  auto out = addSlicedFirst(graph, type, shape, cut, {di}, &stored);
  std::size_t rows = 1;
  for (auto d : cut)
    rows *= shape[d];
  if (out.numElements() == 0)
    return out;
  auto columns = out.numElements() / rows;
  const auto &target = graph.getTarget();
  std::size_t atom = base::ceilDiv(target.getAtomicStoreGranularity(), target.getTypeSize(type));
  auto grain = std::max(std::min(minGrainSize, columns), atom);
  auto parts = std::min<std::size_t>(target.getNumTiles(), base::ceilDiv(columns, grain));
  auto perPart =
      base::ceilDiv(base::ceilDiv(columns, grain), parts); // fewer tiles, if they are full
  mapGrid(graph, stored.reshape({1, rows, columns}),
          {1, base::ceilDiv(base::ceilDiv(columns, grain), perPart), 1, grain});
  di.addOutput(out);
  return out;
}

Tensor createSliceableTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                             const std::vector<std::size_t> &dims,
                             const std::vector<std::size_t> &sizes, const SlicePlan &plan,
                             const OptionFlags &options, const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, shape, dims, sizes, options));
  parseSliceOptions(options);
  const std::string call = "popops::createSliceableTensor";
  checkSlice(call, shape, dims, sizes);
  auto *p = planFor(call, plan, type, 1, shape, dims, sizes);
  auto out = p ? plannedTable(graph, type, shape, dims, *p, {di})[0]
               : createSliceableTensor(graph, type, shape, dims, sizes, 0, {di});
  di.addOutput(out);
  return out;
}

Tensor createGroupedSliceableTensor(Graph &graph, const Type &type, std::size_t groupSize,
                                    const std::vector<std::size_t> &shape,
                                    const std::vector<std::size_t> &dims,
                                    const std::vector<std::size_t> &sizes, const SlicePlan &plan,
                                    const OptionFlags &options, const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, groupSize, shape, dims, sizes, options));
  parseSliceOptions(options);
  const std::string call = "popops::createGroupedSliceableTensor";
  checkSlice(call, shape, dims, sizes);
  needPlan(call, plan);
  auto *p = planFor(call, plan, type, groupSize, shape, dims, sizes);
  auto out = plannedTable(graph, type, shape, dims, *p, {di});
  di.addOutput(out);
  return out;
}

Tensor createSliceTensor(Graph &graph, const Tensor &t, const std::vector<std::size_t> &dims,
                         const std::vector<std::size_t> &sizes, std::size_t numIndices,
                         const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dims, sizes, numIndices));
  checkSlice("popops::createSliceTensor", t.shape(), dims, sizes);
  auto out = slicesLike(graph, t, dims, sizes, numIndices, {di});
  di.addOutput(out);
  return out;
}

Tensor createSliceTensor(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                         const std::vector<std::size_t> &dims,
                         const std::vector<std::size_t> &sizes, std::size_t numIndices,
                         const SlicePlan &plan, const OptionFlags &options,
                         const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, shape, dims, sizes, numIndices, options));
  parseSliceOptions(options);
  const std::string call = "popops::createSliceTensor";
  checkSlice(call, shape, dims, sizes);
  auto *p = planFor(call, plan, type, 1, shape, dims, sizes);
  Tensor out;
  if (p) {
    out = plannedSlices(graph, type, nullptr, *p, numIndices, sliceShape(shape, dims, sizes),
                        {di})[0];
  } else { // spread over the tiles: nothing is known about the table
    auto rows = sliceShape(shape, dims, sizes);
    rows.insert(rows.begin(), numIndices);
    out = graph.addVariable(type, rows, {di});
    poputil::mapTensorLinearly(graph, out);
  }
  di.addOutput(out);
  return out;
}

Tensor createGroupedSliceTensor(Graph &graph, const Type &type, std::size_t groupSize,
                                const std::vector<std::size_t> &shape,
                                const std::vector<std::size_t> &dims,
                                const std::vector<std::size_t> &sizes, std::size_t numIndices,
                                const SlicePlan &plan, const OptionFlags &options,
                                const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext,
                        DI_ARGS(type, groupSize, shape, dims, sizes, numIndices, options));
  parseSliceOptions(options);
  const std::string call = "popops::createGroupedSliceTensor";
  checkSlice(call, shape, dims, sizes);
  needPlan(call, plan);
  auto *p = planFor(call, plan, type, groupSize, shape, dims, sizes);
  auto out =
      plannedSlices(graph, type, nullptr, *p, numIndices, sliceShape(shape, dims, sizes), {di});
  di.addOutput(out);
  return out;
}

Tensor createIndicesTensor(Graph &graph, const std::vector<std::size_t> &dims,
                           std::size_t numIndices, const SlicePlan &, const OptionFlags &options,
                           const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(dims, numIndices, options));
  parseSliceOptions(options);
  auto out = indices(graph, {numIndices, dims.size()}, {di});
  di.addOutput(out);
  return out;
}

Tensor createGroupedIndicesTensor(Graph &graph, std::size_t groupSize,
                                  const std::vector<std::size_t> &dims, std::size_t numIndices,
                                  const SlicePlan &plan, const OptionFlags &options,
                                  const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(groupSize, dims, numIndices, options));
  parseSliceOptions(options);
  const std::string call = "popops::createGroupedIndicesTensor";
  needPlan(call, plan);
  if (plan.getImpl()->table.groups != groupSize)
    throw poplibs_error(base::str(call, ": the plan is for ", plan.getImpl()->table.groups,
                                  " groups, not ", groupSize, '.'));
  auto out = indices(graph, {groupSize, numIndices, dims.size()}, {di});
  di.addOutput(out);
  return out;
}

Tensor createSliceableTensorFromSlice(Graph &graph, const Tensor &s,
                                      const std::vector<std::size_t> &dims,
                                      const std::vector<std::size_t> &numSlices,
                                      const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(s, dims, numSlices));
  const std::string call = "popops::createSliceableTensorFromSlice";
  auto shape = s.shape();
  if (dims.size() != numSlices.size())
    throw poplibs_error(base::str(call, ": ", dims.size(), " dimensions but ", numSlices.size(),
                                  " numbers of slices; give one for each."));
  checkSlice(call, shape, dims, Sizes(dims.size())); // the dimensions only
  // [numSlices..., shape...], then every count moves before its dimension and they merge.
  auto out = graph.cloneN(s, product(numSlices), {di});
  Sizes split = numSlices;
  split.insert(split.end(), shape.begin(), shape.end());
  out = out.reshape(split);
  std::vector<unsigned> order;
  Sizes merged;
  for (unsigned d = 0; d != shape.size(); ++d) {
    auto found = std::find(dims.begin(), dims.end(), d);
    merged.push_back(shape[d]);
    if (found != dims.end()) {
      order.push_back(unsigned(found - dims.begin()));
      merged.back() = product({shape[d], numSlices[found - dims.begin()]});
    }
    order.push_back(unsigned(dims.size()) + d);
  }
  out = out.dimShuffle(order).reshape(merged);
  di.addOutput(out);
  return out;
}

Graph::TileToTensorMapping getSliceMapping(Graph &graph, const Tensor &t,
                                           const std::vector<std::size_t> &dims,
                                           const std::vector<std::size_t> &sizes) {
  checkSlice("popops::getSliceMapping", t.shape(), dims, sizes);
  return graph.getTileMapping(firstSlice(t, dims, sizes));
}

} // namespace popops
