// SPDX-License-Identifier: MIT
// Tile mappings of tensors and vertices, and questions about the order of elements in memory.
#include "Access.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Graph.hpp"
#include <algorithm>

namespace poplar {

using base::str;
using graph::GraphView;
using tensor::Shape;
using tensor::VarRange;
using tensor::View;

// what(): says what is to be mapped, if it must be said.
template <class What>
static unsigned checkedTile(const GraphView &view, unsigned tile, What &&what) {
  if (tile >= view.numTiles())
    throw invalid_tile_mapping(str("Graph::setTileMapping: tile ", tile, " for ", what(),
                                   " does not exist; this graph has ", view.numTiles(),
                                   " tiles (0 to ", view.numTiles() - 1, ")."));
  return view.wholeTile(tile);
}

static const View &use(const Graph &graph, const Tensor &tensor, const char *call) {
  return Access::ownView<invalid_tile_mapping>(*Access::graph(graph).state, tensor, call);
}

void Graph::setTileMapping(const VertexRef &vertex, unsigned tile) {
  auto &view = Access::graph(*this);
  const auto id =
      Access::ownVertex<invalid_tile_mapping>(*view.state, vertex, "Graph::setTileMapping");
  view.state->vertices[id].tile = checkedTile(
      view, tile, [&] { return "a vertex of type " + view.state->vertexType(id).name; });
}

static void mapRanges(graph::GraphState &state, const View &view, unsigned tile) {
  for (const auto &range : tensor::sortedRanges(view))
    state.variables[range.var.value].mapping.set(range.begin, range.end, tile);
}

void Graph::setTileMapping(const Tensor &tensor, unsigned tile) {
  auto &graph = Access::graph(*this);
  auto &view = use(*this, tensor, "Graph::setTileMapping");
  mapRanges(*graph.state, view,
            checkedTile(graph, tile, [&] { return graph.state->describe(view); }));
}

// Most tensors lie in one stretch of a variable, in order: then an interval is a range of it.
static bool isStretch(const View &view) {
  if (view.pieces.size() != 1)
    return false;
  std::int64_t next = 1;
  const auto &loops = view.pieces[0].loops;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    if (loop->stride != next)
      return false;
    next *= std::int64_t(loop->extent);
  }
  return true;
}

void Graph::setTileMapping(const Tensor &tensor, const TileToTensorMapping &mapping) {
  auto &graph = Access::graph(*this);
  auto flat = tensor::flatten(use(*this, tensor, "Graph::setTileMapping"));
  auto elements = flat.shape[0];
  const bool stretch = isStretch(flat);
  auto set = [&](const Interval &interval, unsigned tile) {
    if (!stretch)
      return mapRanges(*graph.state, tensor::slice(flat, interval.begin(), interval.end(), 0),
                       tile);
    const auto offset = std::uint64_t(flat.pieces[0].offset);
    graph.state->variables[flat.pieces[0].var.value].mapping.set(offset + interval.begin(),
                                                                 offset + interval.end(), tile);
  };
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    auto whole = checkedTile(graph, tile, [&] { return graph.state->describe(flat); });
    for (const auto &interval : mapping[tile]) {
      if (interval.begin() > interval.end() || interval.end() > elements)
        throw invalid_tile_mapping(str("Graph::setTileMapping: [", interval.begin(), ", ",
                                       interval.end(), ") on tile ", tile, " is not a range of ",
                                       graph.state->describe(flat), ", which has ", elements,
                                       " elements."));
      set(interval, whole);
    }
  }
}

Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &tensor, bool requireComplete,
                                                 bool allowExternal) const {
  bool complete = true;
  auto out = getTileMapping(tensor, &complete, allowExternal);
  if (requireComplete && !complete)
    throw invalid_tile_mapping(
        str("Graph::getTileMapping: some elements of ", tensor.getDebugStr(),
            " have no tile. Map them with setTileMapping, or ask with requireComplete = false."));
  return out;
}

Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &tensor, bool *isComplete,
                                                 bool) const {
  auto &graph = Access::graph(*this);
  auto &view = use(*this, tensor, "Graph::getTileMapping");
  std::vector<unsigned> local; // tile of the whole graph -> tile here
  if (!graph.tiles.empty()) {
    local.assign(graph.state->target.getNumTiles(), executable::none);
    for (unsigned i = 0; i < graph.tiles.size(); ++i)
      local[graph.tiles[i]] = i;
  }
  TileToTensorMapping out(graph.numTiles());
  bool complete = true;
  std::size_t at = 0;
  tensor::forEachRange(view, [&](const VarRange &range) {
    graph.state->variables[range.var.value].mapping.forEach(
        range.begin, range.end, [&](auto begin, auto end, unsigned tile) {
          if (tile != executable::none && !local.empty())
            tile = local[tile];
          auto n = end - begin;
          if (tile == executable::none)
            complete = false;
          else if (!out[tile].empty() && out[tile].back().end() == at)
            out[tile].back() = {out[tile].back().begin(), at + n};
          else
            out[tile].push_back({at, at + n});
          at += n;
        });
  });
  if (isComplete)
    *isComplete = complete;
  return out;
}

Graph::TileToTensorMapping Graph::getVariableTileMapping(const Tensor &tensor) const {
  auto &view = use(*this, tensor, "Graph::getVariableTileMapping");
  if (view.pieces.empty())
    return TileToTensorMapping(getTarget().getNumTiles());
  return getTileMapping(getVariable(VariableRef(view.pieces[0].var.value)), false);
}

// ---- order in memory ----

namespace {

struct Placed { // a range of the flattened tensor and where it lies
  VarRange memory;
  Interval tensor;
};

std::vector<Placed> placed(const View &flat, ArrayRef<Interval> regions) {
  std::vector<Placed> out;
  for (const auto &region : regions) {
    auto at = region.begin();
    tensor::forEachRange(tensor::slice(flat, region.begin(), region.end(), 0),
                         [&](const VarRange &range) {
                           out.push_back({range, {at, at + (range.end - range.begin)}});
                           at += range.end - range.begin;
                         });
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Placed &a, const Placed &b) { return a.memory < b.memory; });
  return out;
}

void append(std::vector<Interval> &list, Interval interval) {
  if (!list.empty() && list.back().end() == interval.begin())
    list.back() = {list.back().begin(), interval.end()};
  else
    list.push_back(interval);
}

} // namespace

std::vector<std::vector<Interval>>
Graph::getSortedContiguousRegions(const Tensor &tensor, ArrayRef<Interval> regions,
                                  bool removeAliased, std::vector<std::size_t> *aliases) const {
  auto flat = tensor::flatten(use(*this, tensor, "Graph::getSortedContiguousRegions"));
  for (const auto &region : regions)
    if (region.begin() > region.end() || region.end() > flat.shape[0])
      throw index_error(str("Graph::getSortedContiguousRegions: ", region,
                            " is not a range of the ", flat.shape[0], " elements of ",
                            tensor.getDebugStr(), "."));
  std::vector<std::vector<Interval>> out;
  VarRange last{};
  std::size_t lastTensorBegin = 0;
  for (auto part : placed(flat, regions)) {
    if (!out.empty() && removeAliased && part.memory.var == last.var &&
        part.memory.begin < last.end) {
      auto overlap = std::min(last.end, part.memory.end) - part.memory.begin;
      if (aliases)
        for (std::size_t i = 0; i < overlap; ++i)
          aliases->push_back(lastTensorBegin + part.memory.begin + i - last.begin);
      if (part.memory.end <= last.end)
        continue;
      part.memory.begin += overlap;
      part.tensor = {part.tensor.begin() + overlap, part.tensor.end()};
    }
    if (out.empty() || part.memory.var != last.var || part.memory.begin != last.end)
      out.emplace_back();
    append(out.back(), part.tensor);
    last = part.memory;
    lastTensorBegin = part.tensor.begin();
  }
  return out;
}

struct TensorRearranger::Impl {
  std::vector<Interval>
      order; // new order: these intervals of the flattened tensor, one after another
  std::vector<std::size_t> start; // where each begins in the new order
  std::vector<std::size_t> shape;
};

static std::shared_ptr<const std::vector<Interval>> memoryOrder(const View &view) {
  auto flat = tensor::flatten(view);
  auto out = std::make_shared<std::vector<Interval>>();
  Interval all(0, flat.shape[0]);
  for (const auto &part : placed(flat, {all}))
    append(*out, part.tensor);
  return out;
}

TensorRearranger::TensorRearranger() = default;
TensorRearranger::~TensorRearranger() = default;
TensorRearranger::TensorRearranger(const TensorRearranger &) = default;
TensorRearranger::TensorRearranger(TensorRearranger &&) noexcept = default;
TensorRearranger &TensorRearranger::operator=(const TensorRearranger &) = default;
TensorRearranger &TensorRearranger::operator=(TensorRearranger &&) noexcept = default;

TensorRearranger Graph::getSimplifyingRearranger(const Tensor &tensor) const {
  auto impl = std::make_shared<TensorRearranger::Impl>();
  impl->order = *memoryOrder(use(*this, tensor, "Graph::getSimplifyingRearranger"));
  impl->shape = tensor.shape();
  std::size_t at = 0;
  for (const auto &interval : impl->order) {
    impl->start.push_back(at);
    at += interval.size();
  }
  TensorRearranger out;
  out.impl_ = impl;
  return out;
}

// Null for one that was default-constructed or moved from.
template <class Impl> static const Impl &use(const std::shared_ptr<Impl> &impl, const char *call) {
  if (!impl)
    throw poplar_error(str("TensorRearranger::", call,
                           ": the rearranger is empty. Take one from "
                           "Graph::getSimplifyingRearranger."));
  return *impl;
}
static Tensor flatOf(const Tensor &t, const Shape &shape, const char *call) {
  const auto elements = tensor::elementsOf(shape, call);
  if (t.numElements() != elements)
    throw index_error(str("TensorRearranger::", call, ": ", t.getDebugStr(), " has ",
                          t.numElements(), " elements; the rearranger was made for ", elements,
                          "."));
  return t.flatten();
}

Tensor TensorRearranger::rearrange(const Tensor &t) const {
  const auto &impl = use(impl_, "rearrange");
  auto flat = flatOf(t, impl.shape, "rearrange");
  return impl.order.empty() ? flat : concat(flat.slices(ArrayRef<Interval>(impl.order)));
}
Tensor TensorRearranger::undoRearrangement(const Tensor &t) const {
  use(impl_, "undoRearrangement");
  auto flat = flatOf(t, impl_->shape, "undoRearrangement");
  std::vector<std::size_t> byTensor(impl_->order.size());
  for (std::size_t i = 0; i < byTensor.size(); ++i)
    byTensor[i] = i;
  std::sort(byTensor.begin(), byTensor.end(),
            [&](auto a, auto b) { return impl_->order[a].begin() < impl_->order[b].begin(); });
  std::vector<Tensor> parts;
  for (auto i : byTensor)
    parts.push_back(flat.slice(impl_->start[i], impl_->start[i] + impl_->order[i].size()));
  return parts.empty() ? t : concat(parts).reshape(impl_->shape);
}

// Each interval is cut at the permutation's seams; the pieces keep the order of the input.
static std::vector<Interval> permute(ArrayRef<Interval> intervals,
                                     const std::vector<Interval> &from,
                                     const std::vector<Interval> &to) {
  std::vector<Interval> out;
  for (const auto &interval : intervals)
    for (std::size_t i = 0; i < from.size(); ++i) {
      auto lo = std::max(interval.begin(), from[i].begin()),
           hi = std::min(interval.end(), from[i].end());
      if (lo < hi)
        append(out, {to[i].begin() + lo - from[i].begin(), to[i].begin() + hi - from[i].begin()});
    }
  return out;
}
std::vector<Interval> TensorRearranger::rearrange(ArrayRef<Interval> intervals) const {
  use(impl_, "rearrange");
  std::vector<Interval> placedAt;
  for (std::size_t i = 0; i < impl_->order.size(); ++i)
    placedAt.push_back({impl_->start[i], impl_->start[i] + impl_->order[i].size()});
  return permute(intervals, impl_->order, placedAt);
}
std::vector<Interval> TensorRearranger::undoRearrangement(ArrayRef<Interval> intervals) const {
  use(impl_, "undoRearrangement");
  std::vector<Interval> placedAt;
  for (std::size_t i = 0; i < impl_->order.size(); ++i)
    placedAt.push_back({impl_->start[i], impl_->start[i] + impl_->order[i].size()});
  return permute(intervals, placedAt, impl_->order);
}

void Graph::reorderToSimplify(Tensor *tensor, ArrayRef<Tensor *> others, bool) const {
  if (!tensor || std::count(others.begin(), others.end(), nullptr))
    throw poplar_error("Graph::reorderToSimplify: a pointer to a tensor is null.");
  auto order = *memoryOrder(use(*this, *tensor, "Graph::reorderToSimplify"));
  auto elements = tensor->numElements();
  for (auto *other : others)
    if (other->numElements() != elements)
      throw index_error(str("Graph::reorderToSimplify: ", other->getDebugStr(), " has ",
                            other->numElements(), " elements, not ", elements, "."));
  auto apply = [&](Tensor &t) {
    t = t.flatten();
    if (order.size() > 1)
      t = concat(t.slices(ArrayRef<Interval>(order)));
  };
  apply(*tensor);
  for (auto *other : others)
    apply(*other);
}

Tensor Graph::findUnbroadcastTensor(const Tensor &tensor) const {
  auto &view = use(*this, tensor, "Graph::findUnbroadcastTensor");
  auto out = tensor;
  for (unsigned d = 0; d < view.shape.size(); ++d) {
    bool still = !view.pieces.empty() && view.shape[d] > 1;
    for (const auto &piece : view.pieces) {
      bool covers = piece.box[d].extent == view.shape[d];
      bool moves = std::any_of(piece.loops.begin(), piece.loops.end(),
                               [&](const tensor::Loop &l) { return l.dim == d && l.stride != 0; });
      still = still && covers && !moves;
    }
    if (still)
      out = out.slice(0, 1, d);
  }
  return out;
}

} // namespace poplar
