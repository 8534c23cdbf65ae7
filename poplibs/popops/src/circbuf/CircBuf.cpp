// SPDX-License-Identifier: MIT
// CircBuf: a ring of tensors with an index that lives on the device.
#include "popops/CircBuf.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Operation.hpp"
#include "popops/kernels/CircBuf.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/TileMapping.hpp"
#include "rearrange/Step.hpp"
#include <base/Text.hpp>

namespace popops {

namespace {

using poplar::Tensor;

// The index is worked out on its tile and goes to all tiles that hold entries; there one of `size`
// rows is copied.
openipu::Plan planOf(const poplar::Graph &graph, const Tensor &entries, unsigned indexTile,
                     const char *indexVertex, std::uint64_t indexCycles, bool update) {
  auto index = stepOf("Index", indexVertex);
  const auto &chip = openipu::chipOf(graph);
  openipu::TileWork one;
  one.tile = indexTile;
  one.cycles = chip.onWorkers(indexCycles);
  index.tiles = {one};
  std::uint64_t size = entries.dim(0), bytes = graph.getTarget().getTypeSize(entries.elementType());
  auto slice = poputil::whereItLies(
      graph, entries, "Slice",
      base::str(update ? "popops::DynamicUpdateSlice1D<" : "popops::DynamicSlice1D<",
                entries.elementType(), ">"),
      [&](std::uint64_t n, std::uint32_t) {
        const auto words = base::ceilDiv(n / size * bytes, 4 * chip.workers); // per worker
        return 11 + 14 + chip.onWorkers(39 + 24 + 2 * words);
      });
  for (auto &work : slice.tiles)
    work.bytesIn = 4;
  openipu::Plan plan;
  plan.add(std::move(index));
  plan.add(std::move(slice));
  return plan;
}

} // namespace

CircBuf::CircBuf(poplar::Graph &graph, const poplar::Type &dataType, unsigned size,
                 const std::vector<std::size_t> &shape, const poplar::DebugContext &debugContext)
    : graph_(graph), size_(size), shape_(shape) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(dataType, size, shape), "CircBuf");
  if (size == 0)
    throw poputil::poplibs_error("popops::CircBuf: a buffer of no entries; the size must be at "
                                 "least 1.");
  std::size_t n = 1;
  for (auto d : shape)
    n *= d;
  index_ = graph.addVariable(poplar::UNSIGNED_INT, {1}, {di, "index"});
  graph.setTileMapping(index_, 0);
  graph.setInitialValue(index_, 0u);
  // All versions of an element side by side, so that they share a tile.
  auto variable = graph.addVariable(dataType, {n, size}, {di, "entries"});
  poputil::mapTensorLinearly(graph, variable, size, size);
  entries_ = variable.transpose();
}

Tensor CircBuf::prev(unsigned i, poplar::program::Sequence &seq,
                     const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(i), "CircBuf::prev");
  if (i >= size_)
    throw poputil::poplibs_error(
        base::str("popops::CircBuf::prev: entry ", i, " of a buffer that keeps ", size_, "."));
  auto out = graph_.clone(entries_[0], {di, "prev"});
  if (out.numElements())
    seq.add(
        openipu::operation(graph_, {kernels::circBufPrev,
                                    {openipu::out(out), openipu::in(entries_), openipu::in(index_)},
                                    kernels::CircBufBack{i}.write(),
                                    planOf(graph_, entries_, 0, "popops::CircOffset", 10, false),
                                    {di, "prev"}}));
  di.addOutput(out);
  return out.reshape(shape_);
}

void CircBuf::add(Tensor t, poplar::program::Sequence &seq,
                  const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t), "CircBuf::add");
  if (t.shape() != shape_ || t.elementType() != entries_.elementType())
    throw poputil::poplibs_error(base::str("popops::CircBuf::add: ", t.elementType(),
                                           t.shapeToString(), " does not fit a buffer of ",
                                           entries_.elementType(), base::list(shape_), "."));
  if (t.numElements())
    seq.add(openipu::operation(
        graph_, {kernels::circBufAdd,
                 {openipu::inOut(entries_), openipu::inOut(index_), openipu::in(t.flatten())},
                 "",
                 planOf(graph_, entries_, 0, "popops::CircBufIncrIndex", 8, true),
                 {di, "add"}}));
}

Tensor CircBuf::getIndex() const { return index_; }

poplar::Graph::TileToTensorMapping CircBuf::getTileMapping() {
  return graph_.getTileMapping(entries_[0].reshape(shape_));
}

} // namespace popops
