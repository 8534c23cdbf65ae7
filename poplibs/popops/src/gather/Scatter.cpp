// SPDX-License-Identifier: MIT
// scatter: many updates of the operand; with a function of the user's, one after the other in a
// loop of the program.
#include "popops/Scatter.hpp"
#include "base/Text.hpp"
#include "gather/GatherChecks.hpp"
#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "slice/SliceOptions.hpp"
#include "slice/UnplannedPlan.hpp"
#include <algorithm>

namespace popops {

using namespace slice;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::PoplibsOpDebugInfo;

namespace {

const std::string call = "popops::scatter";

bool contains(const std::vector<unsigned> &list, std::size_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Updates as windows of the operand, one per index vector.
struct Windows {
  Tensor table, rows, offsets; // operand, [n, window], [n, dims]
  Sizes dims, sizes;
  Request request;
};

void checkRanks(const Tensor &operand, const Tensor &updates,
                const gathering::IndexVectors &vectors, const std::vector<unsigned> &windowDims,
                const Sizes &inserted) {
  gathering::checkDistinct(call, "updateWindowDims", {windowDims.begin(), windowDims.end()},
                           updates.rank());
  gathering::checkDistinct(call, "insertWindowDims", inserted, operand.rank());
  gathering::require(windowDims.size() + inserted.size() == operand.rank(),
                     base::str(call, ": ", windowDims.size(), " updateWindowDims and ",
                               inserted.size(), " insertWindowDims must be as many as operand ",
                               base::list(operand.shape()), " has dimensions."));
  gathering::require(updates.elementType() == operand.elementType(),
                     base::str(call, ": updates are of type ", updates.elementType(),
                               ", operand of type ", operand.elementType(), '.'));
  Sizes batch;
  for (unsigned d = 0; d != updates.rank(); ++d)
    if (!contains(windowDims, d))
      batch.push_back(updates.dim(d));
  gathering::require(batch == vectors.batchShape,
                     base::str(call, ": updates ", base::list(updates.shape()), " without windows ",
                               base::list(windowDims), " have shape ", base::list(batch),
                               ", indices without their vectors ", base::list(vectors.batchShape),
                               "; they must be equal."));
}

// [n, window of operand's rank]
Tensor windowsOf(const Tensor &updates, const std::vector<unsigned> &windowDims, Sizes inserted,
                 std::size_t n) {
  std::vector<unsigned> order;
  for (unsigned d = 0; d != updates.rank(); ++d)
    if (!contains(windowDims, d))
      order.push_back(d);
  auto batch = unsigned(order.size());
  auto windows = windowDims;
  std::sort(windows.begin(), windows.end());
  order.insert(order.end(), windows.begin(), windows.end());
  auto t = updates.dimShuffle(order);
  t = t.reshapePartial(0, batch, {n});
  std::sort(inserted.begin(), inserted.end());
  for (auto d : inserted)
    t = t.expand({d + 1});
  return t;
}

// Behind the last dimension there are dimensions of one element, as there are behind indices.
Tensor withDimsOf(Tensor updates, const std::vector<unsigned> &windowDims, std::size_t most) {
  for (auto d : windowDims)
    while (updates.rank() <= d && updates.rank() < most)
      updates = updates.expand({updates.rank()});
  return updates;
}

Windows normalise(const Tensor &operand, const Tensor &indices, const Tensor &given,
                  std::size_t indexVectorDim, const std::vector<unsigned> &windowDims,
                  const Sizes &inserted, const std::vector<unsigned> &toOperand,
                  const OptionFlags &optionFlags, const DebugContext &context) {
  auto o = parseSliceOptions(optionFlags);
  auto vectors = gathering::indexVectors(call, indices, indexVectorDim, toOperand.size());
  gathering::checkDistinct(call, "scatterDimsToOperandDims", {toOperand.begin(), toOperand.end()},
                           operand.rank());
  const auto updates = withDimsOf(given, windowDims, vectors.batchShape.size() + windowDims.size());
  checkRanks(operand, updates, vectors, windowDims, inserted);
  Windows w;
  w.offsets = vectors.offsets;
  w.rows = windowsOf(updates, windowDims, inserted, w.offsets.dim(0));
  w.table = operand;
  for (unsigned d = 0; d != operand.rank(); ++d) {
    auto size = w.rows.dim(d + 1);
    gathering::require(size <= operand.dim(d),
                       base::str(call, ": windows are ", size, " long in dimension ", d,
                                 " of operand ", base::list(operand.shape()), '.'));
    if (!contains(toOperand, d))
      w.table = w.table.slice(0, size, d);
  }
  for (auto d : toOperand) {
    w.dims.push_back(d);
    w.sizes.push_back(w.rows.dim(d + 1));
  }
  w.request = {narrow(w.dims),
               narrow(w.sizes),
               Bounds::Skip,
               o.remap,
               o.padding,
               o.validate,
               base::str(call, " \"", context.getPathName(), '"')};
  return w;
}

void addUpdate(Graph &graph, const Windows &w, const Tensor &rows, const Tensor &offsets,
               Sequence &prog, const DebugContext &context) {
  auto plan =
      unplannedUpdate(graph, {w.table, rows, w.dims, w.sizes, rows.dim(0)}, Update::Replace, false);
  prog.add(updateOperation(graph, {w.table.expand({0}), rows.expand({0}), offsets.expand({0})},
                           w.request, {}, std::move(plan), context));
}

Tensor constant(Graph &graph, unsigned value, const DebugContext &context) {
  auto t = graph.addConstant(poplar::UNSIGNED_INT, {1}, value, context);
  graph.setTileMapping(t, 0);
  return t;
}

} // namespace

void scatter(Graph &graph, const Tensor &operand, const Tensor &indices, const Tensor &updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims, Sequence &prog,
             const DebugContext &debugContext, const OptionFlags &optionFlags) {
  PoplibsOpDebugInfo di(debugContext,
                        DI_ARGS(operand, indices, updates, indexVectorDim, updateWindowDims,
                                insertWindowDims, scatterDimsToOperandDims));
  auto w = normalise(operand, indices, updates, indexVectorDim, updateWindowDims, insertWindowDims,
                     scatterDimsToOperandDims, optionFlags, debugContext);
  if (w.rows.numElements() == 0)
    return;
  if (w.dims.empty()) // every window is the same; the last one stays
    prog.add(poplar::program::Copy(w.rows[w.rows.dim(0) - 1], w.table, false, {di}));
  else
    addUpdate(graph, w, apartFrom(graph, w.table, w.rows, prog, {di}), w.offsets, prog, {di});
}

void scatter(Graph &graph, const Tensor &operand, const Tensor &indices, const Tensor &updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims,
             UpdateComputationFunc &updateComputation, Sequence &prog,
             const DebugContext &debugContext, const OptionFlags &optionFlags) {
  PoplibsOpDebugInfo di(debugContext,
                        DI_ARGS(operand, indices, updates, indexVectorDim, updateWindowDims,
                                insertWindowDims, scatterDimsToOperandDims));
  auto w = normalise(operand, indices, updates, indexVectorDim, updateWindowDims, insertWindowDims,
                     scatterDimsToOperandDims, optionFlags, debugContext);
  gathering::require(bool(updateComputation), call + ": the update computation is empty.");
  if (w.rows.numElements() == 0)
    return;
  auto counter = graph.addVariable(poplar::UNSIGNED_INT, {1}, {di, "counter"});
  graph.setTileMapping(counter, 0);
  Sequence body;
  auto update = dynamicSlice(graph, w.rows, counter, {0}, {1}, body, {di, "update"});
  auto there = graph.clone(firstSlice(w.table, w.dims, w.sizes), {di, "window"}).expand({0});
  Tensor offsets;
  if (w.dims.empty()) {
    body.add(poplar::program::Copy(w.table, there, false, {di}));
  } else {
    offsets = dynamicSlice(graph, w.offsets, counter, {0}, {1}, body, {di, "offset"});
    body.add(sliceOperation(graph, {w.table.expand({0}), there.expand({0}), offsets.expand({0})},
                            w.request, Missing::Zero,
                            unplannedSlice(graph, {w.table, there, w.dims, w.sizes, 1}), {di}));
  }
  auto before = there[0], with = update[0];
  auto result = updateComputation(graph, before, with, body);
  gathering::require(result.shape() == before.shape() &&
                         result.elementType() == before.elementType(),
                     base::str(call, ": the update computation returns ", result.elementType(), ' ',
                               base::list(result.shape()), "; ", before.elementType(), ' ',
                               base::list(before.shape()), " is needed."));
  if (w.dims.empty())
    body.add(poplar::program::Copy(result, w.table, false, {di}));
  else
    addUpdate(graph, w, apartFrom(graph, w.table, result, body, {di}).expand({0}), offsets, body,
              {di});
  addInPlace(graph, counter, constant(graph, 1, {di, "one"}), body, {di, "next"});
  prog.add(poplar::program::Copy(constant(graph, 0, {di, "zero"}), counter, false, {di}));
  prog.add(poplar::program::Repeat(unsigned(w.rows.dim(0)), body, {di}));
}

} // namespace popops
