// SPDX-License-Identifier: MIT
// Host tensors: whole packets of host traffic per tile. Both directions move packets of 256 bytes,
// so a tensor that is read lies as one that is written.
#include "popops/HostSliceTensor.hpp"
#include "base/Text.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;
using poputil::poplibs_error;

static constexpr std::size_t packetBytes = 256;

static unsigned checkedOffset(const Graph &graph, const char *call, std::size_t offset) {
  if (offset >= graph.getTarget().getNumTiles())
    throw poplibs_error(base::str(call, ": tile offset ", offset, ", but the graph has ",
                                  graph.getTarget().getNumTiles(), " tiles."));
  return unsigned(offset);
}

// A row is on one tile, its index beside it.
IndicesAndTensor createHostSliceableTensor(Graph &graph, const Type &type,
                                           const std::vector<std::size_t> &shape, bool isRead,
                                           std::size_t offset, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, shape, isRead, offset));
  const char *call = "popops::createHostSliceableTensor";
  if (shape.size() != 2)
    throw poplibs_error(
        base::str(call, ": shape ", base::list(shape), "; [rows, elements per row] is needed."));
  auto first = checkedOffset(graph, call, offset);
  IndicesAndTensor out{graph.addVariable(poplar::UNSIGNED_INT, {shape[0]}, {di, "indices"}),
                       graph.addVariable(type, shape, {di, "tensor"})};
  std::size_t tiles = graph.getTarget().getNumTiles(), used = std::min(tiles, shape[0]);
  Graph::TileToTensorMapping rows(tiles), elements(tiles);
  for (std::size_t i = 0; i != used; ++i) {
    auto begin = shape[0] * i / used, end = shape[0] * (i + 1) / used;
    auto tile = (first + i) % tiles;
    rows[tile] = {{begin, end}};
    if (shape[1])
      elements[tile] = {{begin * shape[1], end * shape[1]}};
  }
  graph.setTileMapping(out.indices, rows);
  graph.setTileMapping(out.tensor, elements);
  di.addOutputs({{"indices", poputil::toProfileValue(out.indices)},
                 {"tensor", poputil::toProfileValue(out.tensor)}});
  return out;
}

IndicesAndTensor createHostSliceableTensor(Graph &graph, const Type &type,
                                           const std::vector<std::size_t> &shape, bool isRead,
                                           const DebugContext &debugContext) {
  return createHostSliceableTensor(graph, type, shape, isRead, 0, debugContext);
}

Tensor createHostTransferableTensor(Graph &graph, const Type &type,
                                    const std::vector<std::size_t> &shape, bool isRead,
                                    std::size_t offset, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, shape, isRead, offset));
  auto first = checkedOffset(graph, "popops::createHostTransferableTensor", offset);
  auto out = graph.addVariable(type, shape, {di, "tensor"});
  auto packet = unsigned(packetBytes / graph.getTarget().getTypeSize(type));
  poputil::mapTensorLinearlyWithOffset(graph, out, packet, packet, first);
  di.addOutput(out);
  return out;
}

Tensor createHostTransferableTensor(Graph &graph, const Type &type,
                                    const std::vector<std::size_t> &shape, bool isRead,
                                    const DebugContext &debugContext) {
  return createHostTransferableTensor(graph, type, shape, isRead, 0, debugContext);
}

} // namespace popops
