// SPDX-License-Identifier: MIT
// Sparse weights as a table of rows: slices out of it, and scaled additions to it.
// On the device every tile looks for all indices in its bucket.
#include "popsparse/Embedding.hpp"
#include "base/Text.hpp"
#include "dynamic/Planned.hpp"
#include "openipu/Chip.hpp"
#include "popsparse/kernels/Dynamic.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/VertexTemplates.hpp"
#include <algorithm>

namespace popsparse {
namespace dynamic {

using poplar::Tensor;
using poputil::poplibs_error;

Tensor createIndicesTensor(poplar::Graph &graph, const FullyConnectedParams &,
                           std::size_t numIndices, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext) {
  parseDynamicOptions(options); // refuses what the lookup would refuse
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(numIndices, options));
  const Tensor t = graph.addVariable(poplar::UNSIGNED_INT, {numIndices}, {di, "indices"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &dataType,
                         const FullyConnectedParams &params, std::size_t numIndices,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options, PlanningCache *) {
  parseDynamicOptions(options);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(dataType, numIndices, options));
  const Tensor t =
      graph.addVariable(dataType, {numIndices, params.getInputChannelsPerGroup()}, {di, "slices"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

namespace {

// Indices go to all tiles; rows of a part travel between their tile and the slices.
openipu::Plan lookupPlan(const arch::Chip &chip, const Planned &p, std::size_t numIndices,
                         const char *vertex) {
  const std::uint64_t size = p.problem.type == poplar::HALF ? 2 : 4;
  const std::uint64_t hits = // blocks of a tile that an average lookup finds
      numIndices * (p.problem.blocks / std::max<std::size_t>(1, p.problem.lines()) + 1) /
          std::max<std::size_t>(1, p.layout.buckets) +
      1;
  const std::uint64_t bytes =
      numIndices * p.problem.columns * size / std::max<std::uint64_t>(1, p.layout.buckets);
  openipu::TileWork work;
  work.count = unsigned(p.layout.buckets);
  work.cycles = 120 + chip.onWorkers(numIndices + hits * (4 + 2 * p.problem.blockColumns));
  work.bytesIn = 4 * numIndices + bytes;
  work.bytesOut = bytes;
  work.tempBytes = bytes;
  openipu::Superstep step;
  step.name = "lookup";
  step.vertex = poputil::templateVertex(vertex, p.problem.type);
  step.tiles.push_back(work);
  openipu::Plan plan;
  plan.add(std::move(step));
  return plan;
}

void checkIndices(const char *call, const Tensor &indices) {
  if (indices.rank() != 1 || indices.elementType() != poplar::UNSIGNED_INT)
    throw poplibs_error(base::str(call, ": the indices must be unsigned int and of rank 1, but ",
                                  indices.elementType(), base::list(indices.shape()),
                                  " is given."));
}

} // namespace

Tensor embeddingSlice(poplar::Graph &graph, const SparseTensor &t, const Tensor &indices,
                      poplar::program::Sequence &prog, const FullyConnectedParams &params,
                      const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                      PlanningCache *cache) {
  const poplar::Type type = t.getNzValuesTensor().elementType();
  const auto plan = planned(graph.getTarget(), problemOf(params, type), options, cache);
  checkSparse("embeddingSlice", plan, t);
  checkIndices("embeddingSlice", indices);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(indices, options));
  const Tensor out =
      createSliceTensor(graph, type, params, indices.numElements(), {di, "out"}, options, cache);
  prog.add(
      openipu::operation(graph, {kernels::dynamicSlice,
                                 {openipu::out(out), openipu::in(t.getMetaInfoTensor()),
                                  openipu::in(t.getNzValuesTensor()), openipu::in(indices)},
                                 kernels::RowsOf{plan.layout}.write(),
                                 lookupPlan(openipu::chipOf(graph), plan, indices.numElements(),
                                            "popsparse::SparseGatherElementWise"),
                                 {di, "embeddingSlice"}}));
  di.addOutput(out);
  return out;
}

void embeddingUpdateAdd(poplar::Graph &graph, const SparseTensor &t, const Tensor &slices,
                        const Tensor &indices, const Tensor &scale, poplar::program::Sequence &prog,
                        const FullyConnectedParams &params,
                        const poplar::DebugContext &debugContext,
                        const poplar::OptionFlags &options, PlanningCache *cache) {
  const poplar::Type type = t.getNzValuesTensor().elementType();
  const auto plan = planned(graph.getTarget(), problemOf(params, type), options, cache);
  checkSparse("embeddingUpdateAdd", plan, t);
  checkIndices("embeddingUpdateAdd", indices);
  checkDense("embeddingUpdateAdd", "slices", slices, type,
             {indices.numElements(), params.getInputChannelsPerGroup()});
  if (scale.numElements() != 1 ||
      (scale.elementType() != poplar::FLOAT && scale.elementType() != poplar::HALF))
    throw poplibs_error(base::str("embeddingUpdateAdd: the scale must be one float or half, but ",
                                  scale.elementType(), base::list(scale.shape()), " is given."));
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(slices, indices, scale, options));
  prog.add(openipu::operation(
      graph, {kernels::dynamicUpdateAdd,
              {openipu::inOut(t.getNzValuesTensor()), openipu::in(t.getMetaInfoTensor()),
               openipu::in(slices), openipu::in(indices), openipu::in(scale)},
              kernels::RowsOf{plan.layout}.write(),
              lookupPlan(openipu::chipOf(graph), plan, indices.numElements(),
                         "popsparse::SparseDenseMultiUpdateAdd"),
              {di, "embeddingUpdateAdd"}}));
}

} // namespace dynamic
} // namespace popsparse
