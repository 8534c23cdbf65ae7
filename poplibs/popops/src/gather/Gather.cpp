// SPDX-License-Identifier: MIT
// gather: both forms are many slices of the input, and views.
#include "popops/Gather.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "gather/GatherChecks.hpp"
#include "poputil/DebugInfo.hpp"
#include "slice/Layout.hpp"
#include "slice/SliceOptions.hpp"
#include "slice/UnplannedPlan.hpp"
#include <algorithm>

namespace popops {

using namespace slice;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::PoplibsOpDebugInfo;

namespace {

// [n, input's shape with dims replaced by sizes] for offsets [n, dims.size()].
Tensor gatherSlices(Graph &graph, const Tensor &input, const Tensor &offsets, const Sizes &dims,
                    const Sizes &sizes, Bounds bounds, const SliceOptions &options, Sequence &prog,
                    const DebugContext &context) {
  auto n = offsets.dim(0);
  auto rows = slicesLike(graph, input, dims, sizes, n, {context, "slices"});
  if (rows.numElements() == 0)
    return rows;
  if (dims.empty()) {
    prog.add(
        poplar::program::Copy(input.expand({0}).broadcast(unsigned(n), 0), rows, false, context));
    return rows;
  }
  Request request{narrow(dims),
                  narrow(sizes),
                  bounds,
                  options.remap,
                  options.padding,
                  options.validate,
                  base::str("popops::gather \"", context.getPathName(), '"')};
  auto plan = unplannedSlice(graph, {input, rows, dims, sizes, n, options.sorted});
  prog.add(sliceOperation(graph, {input.expand({0}), rows.expand({0}), offsets.expand({0})},
                          request, Missing::Zero, std::move(plan), context));
  return rows;
}

void checkAxis(const char *call, const Sizes &shape, unsigned axis) {
  gathering::require(axis < shape.size(),
                     base::str(call, ": axis ", axis, " does not exist in a tensor of shape ",
                               base::list(shape), '.'));
}

} // namespace

// Columns first; the axis as well if even the narrowest column of it exceeds a tile's share.
Tensor createGatherInput(Graph &graph, const Type &type,
                         const std::vector<std::size_t> &operandShape, unsigned axis,
                         GatherParams params, const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, operandShape, axis));
  checkAxis("popops::createGatherInput", operandShape, axis);
  Tensor stored;
  auto out = addSlicedFirst(graph, type, operandShape, {axis}, {di}, &stored);
  di.addOutput(out);
  if (out.numElements() == 0)
    return out;
  const auto &target = graph.getTarget();
  std::size_t tiles = target.getNumTiles();
  auto rows = operandShape[axis], columns = out.numElements() / rows;
  auto grain = base::ceilDiv(target.getAtomicStoreGranularity(), target.getTypeSize(type));
  auto rowParts =
      std::min({tiles, rows,
                base::ceilDiv(rows * grain, std::max<std::size_t>(1, params.maxElementsPerTile))});
  auto columnParts = std::min(tiles / rowParts, base::ceilDiv(columns, grain));
  mapGrid(graph, stored.reshape({1, rows, columns}), {1, columnParts, rowParts, grain});
  return out;
}

Tensor gather(Graph &graph, const Tensor &input, const Tensor &indices, unsigned axis,
              Sequence &prog, GatherParams params, const DebugContext &debugContext,
              const OptionFlags &optionFlags) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, indices, axis, params.maxElementsPerTile));
  auto options = parseSliceOptions(optionFlags);
  checkAxis("popops::gather", input.shape(), axis);
  auto offsets = gathering::asOffsets("popops::gather", indices).flatten().expand({1});
  auto rows = gatherSlices(graph, input, offsets, {axis}, {1}, Bounds::Wrap, options, prog, {di});
  // [n, before..., 1, after...] -> [before..., indices..., after...]
  auto out =
      rows.squeeze({axis + 1}).dimRoll(0, axis).reshapePartial(axis, axis + 1, indices.shape());
  di.addOutput(out);
  return out;
}

Tensor createGatherInput(Graph &graph, const Type &type, const std::vector<std::size_t> &inputShape,
                         const std::vector<std::size_t> &sliceSizes,
                         std::vector<unsigned> startIndexMap, const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, inputShape, sliceSizes, startIndexMap));
  gathering::checkSliceSizes("popops::createGatherInput", inputShape, sliceSizes, startIndexMap);
  Sizes dims(startIndexMap.begin(), startIndexMap.end()), sizes;
  for (auto d : dims)
    sizes.push_back(sliceSizes[d]);
  auto out = createSliceableTensor(graph, type, inputShape, dims, sizes, 0, {di});
  di.addOutput(out);
  return out;
}

Tensor gather(Graph &graph, const Tensor &input, const Tensor &indices, std::size_t indexVectorDim,
              const std::vector<std::size_t> &offsetDims,
              const std::vector<std::size_t> &sliceSizes,
              const std::vector<std::size_t> &collapsedSliceDims,
              const std::vector<unsigned> &startIndexMap, Sequence &prog,
              const DebugContext &debugContext, const OptionFlags &optionFlags) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, indices, indexVectorDim, offsetDims,
                                              sliceSizes, collapsedSliceDims, startIndexMap));
  const std::string call = "popops::gather";
  auto options = parseSliceOptions(optionFlags);
  gathering::checkSliceSizes(call, input.shape(), sliceSizes, startIndexMap);
  auto vectors = gathering::indexVectors(call, indices, indexVectorDim, startIndexMap.size());
  gathering::checkGather(call, sliceSizes, collapsedSliceDims, offsetDims,
                         vectors.batchShape.size());

  auto table = input;
  Sizes dims(startIndexMap.begin(), startIndexMap.end()), sizes;
  for (auto d : dims)
    sizes.push_back(sliceSizes[d]);
  for (unsigned d = 0; d != input.rank(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      table = table.slice(0, sliceSizes[d], d);
  auto rows =
      gatherSlices(graph, table, vectors.offsets, dims, sizes, Bounds::Clamp, options, prog, {di});

  // [n, slice] -> [batch..., slice without collapsed], then every dimension to its place.
  Sizes collapsed;
  for (auto d : collapsedSliceDims)
    collapsed.push_back(d + 1);
  auto out = rows.squeeze(collapsed).reshapePartial(0, 1, vectors.batchShape);
  auto batch = unsigned(vectors.batchShape.size()), nextBatch = 0u, nextOffset = batch;
  std::vector<unsigned> order;
  for (std::size_t d = 0; d != out.rank(); ++d)
    order.push_back(std::find(offsetDims.begin(), offsetDims.end(), d) != offsetDims.end()
                        ? nextOffset++
                        : nextBatch++);
  out = out.dimShuffle(order);
  di.addOutput(out);
  return out;
}

} // namespace popops
