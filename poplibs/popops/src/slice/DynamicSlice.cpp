// SPDX-License-Identifier: MIT
// dynamicSlice, dynamicUpdate: one slice at an offset that is known when the program runs.
#include "popops/DynamicSlice.hpp"
#include "poputil/DebugInfo.hpp"
#include "slice/Checks.hpp"
#include "slice/SliceOptions.hpp"
#include "slice/UnplannedPlan.hpp"

namespace popops {

using namespace slice;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::PoplibsOpDebugInfo;

static Request requestOf(const std::string &call, const Sizes &dims, const Sizes &sizes,
                         const OptionFlags &options, const DebugContext &context) {
  auto o = parseSliceOptions(options);
  auto path = context.getPathName();
  return {narrow(dims),
          narrow(sizes),
          Bounds::Wrap,
          o.remap,
          o.padding,
          o.validate,
          path.empty() ? call : call + " \"" + path + '"'};
}

static void checkDynamic(const std::string &call, const Tensor &t, const Tensor &offset,
                         const Sizes &dims, const Sizes &sizes) {
  checkSlice(call, t.shape(), dims, sizes);
  checkOffsets(call, offset, {dims.size()});
}

static SliceOperands normal(const Tensor &t, const Tensor &slice, const Tensor &offset) {
  return {t.expand({0}), slice.expand({0, 0}), offset.expand({0, 0})};
}

Tensor createDynamicSliceOutput(Graph &graph, const Tensor &t, const Tensor &offset,
                                const std::vector<std::size_t> &dims,
                                const std::vector<std::size_t> &sizes,
                                const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, offset, dims, sizes, options));
  parseSliceOptions(options);
  checkDynamic("popops::createDynamicSliceOutput", t, offset, dims, sizes);
  auto out = graph.clone(firstSlice(t, dims, sizes), {di});
  di.addOutput(out);
  return out;
}

static void addDynamicSlice(Graph &graph, const Tensor &out, const Tensor &t, const Tensor &offset,
                            const Sizes &dims, const Request &request, Missing missing,
                            Sequence &prog, const DebugContext &context) {
  if (out.numElements() == 0)
    return;
  if (dims.empty()) {
    prog.add(Copy(t, out, false, context));
    return;
  }
  Sizes sizes(request.sizes.begin(), request.sizes.end());
  prog.add(sliceOperation(graph, normal(t, out, offset), request, missing,
                          unplannedSlice(graph, {t, out, dims, sizes, 1}), context));
}

Tensor dynamicSlice(Graph &graph, const Tensor &t, const Tensor &offset,
                    const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                    Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, offset, dims, sizes, options));
  const std::string call = "popops::dynamicSlice";
  auto request = requestOf(call, dims, sizes, options, debugContext);
  checkDynamic(call, t, offset, dims, sizes);
  auto out = graph.clone(firstSlice(t, dims, sizes), {di, "slice"});
  addDynamicSlice(graph, out, t, offset, dims, request, Missing::Zero, prog, {di});
  di.addOutput(out);
  return out;
}

void dynamicSliceWithOutput(Graph &graph, const Tensor &output, const Tensor &t,
                            const Tensor &offset, const std::vector<std::size_t> &dims,
                            const std::vector<std::size_t> &sizes, Sequence &prog,
                            const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(output, t, offset, dims, sizes, options));
  const std::string call = "popops::dynamicSliceWithOutput";
  auto request = requestOf(call, dims, sizes, options, debugContext);
  checkDynamic(call, t, offset, dims, sizes);
  checkShape(call, "the output", output, sliceShape(t.shape(), dims, sizes));
  checkSameType(call, t, output);
  auto table = apartFrom(graph, output, t, prog, {di});
  addDynamicSlice(graph, output, table, offset, dims, request, Missing::Keep, prog, {di});
}

void dynamicUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offset,
                   const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                   Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, offset, dims, sizes, options));
  const std::string call = "popops::dynamicUpdate";
  auto request = requestOf(call, dims, sizes, options, debugContext);
  checkDynamic(call, t, offset, dims, sizes);
  checkShape(call, "the slice", s, sliceShape(t.shape(), dims, sizes));
  checkSameType(call, t, s);
  if (s.numElements() == 0)
    return;
  if (dims.empty()) {
    prog.add(Copy(s, t, false, {di}));
    return;
  }
  auto slice = apartFrom(graph, t, s, prog, {di});
  auto plan = unplannedUpdate(graph, {t, slice, dims, sizes, 1}, Update::Replace, false);
  prog.add(updateOperation(graph, normal(t, slice, offset), request, {}, std::move(plan), {di}));
}

} // namespace popops
