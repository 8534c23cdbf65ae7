// SPDX-License-Identifier: MIT
// multiSlice, multiUpdate and the combining updates, plain and grouped: many slices at once, by a
// plan or where the table lies.
#include "base/Text.hpp"
#include "popops/DynamicSlice.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "slice/Layout.hpp"
#include "slice/UnplannedPlan.hpp"

namespace popops {

using namespace slice;
using poplar::ArrayRef;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;
using poputil::PoplibsOpDebugInfo;

namespace {

// A checked call on tables [groups, ...]; `grouped` says whether the caller sees the groups.
struct Call {
  Call(std::string callName, const Tensor &t, const Tensor &offsets, const Sizes &dims,
       const Sizes &sizes, const SlicePlan &slicePlan, const OptionFlags &optionFlags,
       const DebugContext &context, bool isGrouped)
      : name(std::move(callName)), dims(dims), sizes(sizes),
        options(parseSliceOptions(optionFlags)), grouped(isGrouped) {
    if (grouped)
      needPlan(name, slicePlan);
    if (grouped && (t.rank() == 0 || offsets.rank() != 3))
      throw poplibs_error(base::str(name, ": a grouped tensor and offsets [groups, lookups, ",
                                    dims.size(), "] are needed; got shapes ", base::list(t.shape()),
                                    " and ", base::list(offsets.shape()), '.'));
    if (!grouped && offsets.rank() != 2)
      throw poplibs_error(base::str(name, ": offsets [lookups, ", dims.size(),
                                    "] are needed; got shape ", base::list(offsets.shape()), '.'));
    table = grouped ? t : t.expand({0});
    this->offsets = grouped ? offsets : offsets.expand({0});
    shape = table[0].shape();
    lookups = this->offsets.dim(1);
    checkSlice(name, shape, dims, sizes);
    checkOffsets(name, this->offsets, {table.dim(0), lookups, dims.size()});
    plan = planFor(name, slicePlan, t.elementType(), table.dim(0), shape, dims, sizes);
    auto path = context.getPathName();
    request = {narrow(dims),
               narrow(sizes),
               Bounds::Wrap,
               options.remap,
               options.padding,
               options.validate || (plan && plan->options.validate),
               path.empty() ? name : name + " \"" + path + '"'};
  }

  Sizes rowsShape() const {
    auto out = sliceShape(shape, dims, sizes);
    out.insert(out.begin(), {table.dim(0), lookups});
    return out;
  }
  bool sorted() const { return options.sorted || (plan && plan->options.sorted); }

  std::string name;
  Sizes dims, sizes, shape; // shape: of one table
  SliceOptions options;
  bool grouped;
  Tensor table, offsets;
  std::size_t lookups;
  const SlicePlanInternal *plan;
  Request request;
};

Tensor slices(Graph &graph, const Call &call, Sequence &prog, const DebugContext &context) {
  auto type = call.table.elementType();
  auto rows =
      call.plan ? plannedSlices(graph, type, &call.table, *call.plan, call.lookups,
                                sliceShape(call.shape, call.dims, call.sizes), {context, "slices"})
                : slicesLike(graph, call.table[0], call.dims, call.sizes, call.lookups,
                             {context, "slices"})
                      .expand({0});
  auto result = call.grouped ? rows : rows[0];
  if (rows.numElements() == 0)
    return result;
  if (call.dims.empty()) {
    auto whole = call.table.expand({1}).broadcast(unsigned(call.lookups), 1);
    prog.add(poplar::program::Copy(whole, rows, false, context));
    return result;
  }
  openipu::Plan plan;
  if (call.plan)
    plan = toPlan(sliceStages(graph.getTarget(), call.plan->table, call.plan->split, call.lookups,
                              call.plan->options),
                  call.plan->split, call.plan->table);
  else
    plan = unplannedSlice(
        graph, {call.table[0], rows[0], call.dims, call.sizes, call.lookups, call.sorted()});
  prog.add(sliceOperation(graph, {call.table, rows, call.offsets}, call.request, Missing::Zero,
                          std::move(plan), context));
  return result;
}

void checkCombine(const Call &call, const Tensor &t, const UpdateHow &how) {
  auto type = t.elementType();
  bool known = type == poplar::FLOAT || type == poplar::HALF || type == poplar::INT ||
               type == poplar::UNSIGNED_INT;
  if (!known)
    throw poplibs_error(base::str(call.name, ": cannot combine elements of type ", type,
                                  "; float, half, int and unsigned int can be."));
  if (!how.scale.valid())
    return;
  auto scale = how.scale.elementType();
  if (how.scale.numElements() != 1 ||
      (scale != type && !(type == poplar::HALF && scale == poplar::FLOAT)))
    throw poplibs_error(base::str(call.name, ": the scale is ", scale, ' ',
                                  base::list(how.scale.shape()), "; one element of type ", type,
                                  type == poplar::HALF ? " or float" : "", " is needed."));
}

void update(Graph &graph, const Call &call, const Tensor &s, UpdateHow how, Sequence &prog,
            const DebugContext &context) {
  auto rows = call.grouped ? s : s.expand({0});
  auto expected = call.rowsShape();
  if (!call.grouped)
    expected.erase(expected.begin());
  checkShape(call.name, "the slices", s, expected);
  if (call.dims.empty())
    throw poplibs_error(call.name + ": no dimension to slice was named.");
  checkSameType(call.name, call.table, s);
  auto type = call.table.elementType();
  auto partials = call.plan ? call.plan->table.partialType : type;
  if (how.op != Update::Replace) {
    checkCombine(call, call.table, how);
    if (call.options.partialType)
      partials = partialTypeOf(call.name, type, call.options);
  }
  how.floatPartials = type == poplar::HALF && partials == poplar::FLOAT;
  if (how.scale.valid())
    how.scale = how.scale.flatten();
  if (rows.numElements() == 0)
    return;
  rows = apartFrom(graph, call.table, rows, prog, context);
  openipu::Plan plan;
  if (call.plan) {
    auto table = call.plan->table;
    table.partialType = partials;
    plan = toPlan(updateStages(graph.getTarget(), table, call.plan->split, call.lookups, how.op,
                               how.scale.valid(), call.plan->options),
                  call.plan->split, table, how.op, how.scale.valid());
  } else {
    plan = unplannedUpdate(
        graph, {call.table[0], rows[0], call.dims, call.sizes, call.lookups, call.sorted()}, how.op,
        how.scale.valid());
  }
  prog.add(updateOperation(graph, {call.table, rows, call.offsets}, call.request, how,
                           std::move(plan), context));
}

// Offsets known now, as a tensor.
Tensor constantOffsets(Graph &graph, ArrayRef<unsigned> offsets, const DebugContext &context) {
  auto t = graph.addConstant(poplar::UNSIGNED_INT, {offsets.size(), 1}, offsets, context);
  graph.setTileMapping(t, 0);
  return t;
}

} // namespace

Tensor multiSlice(Graph &graph, const Tensor &t, const Tensor &offsets,
                  const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                  Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                  const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, offsets, dims, sizes, options));
  Call call("popops::multiSlice", t, offsets, dims, sizes, plan, options, debugContext, false);
  auto out = slices(graph, call, prog, {di});
  di.addOutput(out);
  return out;
}

Tensor groupedMultiSlice(Graph &graph, const Tensor &t, const Tensor &offsets,
                         const std::vector<std::size_t> &dims,
                         const std::vector<std::size_t> &sizes, Sequence &prog,
                         const SlicePlan &plan, const OptionFlags &options,
                         const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, offsets, dims, sizes, options));
  Call call("popops::groupedMultiSlice", t, offsets, dims, sizes, plan, options, debugContext,
            true);
  auto out = slices(graph, call, prog, {di});
  di.addOutput(out);
  return out;
}

// The entry that a constant offset stands for; the number of entries means padding.
static std::size_t entryOf(const std::string &call, std::size_t i, unsigned offset,
                           std::size_t entries, const SliceOptions &options) {
  if (offset < entries || (options.padding && offset == entries))
    return offset;
  if (options.remap && entries)
    return 0;
  throw poplibs_error(base::str(call, ": offset ", i, " is ", offset, ", but there are ", entries,
                                " entries. Correct it, or set remapOutOfBoundIndices."));
}

// Places are known, so this is a copy.
Tensor multiSlice(Graph &graph, const Tensor &t, ArrayRef<unsigned> offsets, std::size_t dim,
                  Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dim, options));
  const std::string call = "popops::multiSlice";
  auto o = parseSliceOptions(options);
  checkSlice(call, t.shape(), {dim}, {1});
  auto out = slicesLike(graph, t, {dim}, {1}, offsets.size(), {di, "slices"});
  auto entries = t.dim(unsigned(dim));
  std::vector<Tensor> rows;
  for (std::size_t i = 0; i != offsets.size(); ++i) {
    auto entry = entryOf(call, i, offsets[i], entries, o);
    if (entry < entries) {
      rows.push_back(t.slice(entry, entry + 1, unsigned(dim)).expand({0}));
    } else {
      auto zeros = graph.addConstant(t.elementType(), out[i].shape(), 0, {di, "padding"});
      graph.setTileMapping(zeros, 0);
      rows.push_back(zeros.expand({0}));
    }
  }
  if (out.numElements())
    prog.add(poplar::program::Copy(concat(rows), out, false, {di}));
  di.addOutput(out);
  return out;
}

void multiUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                 const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                 Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                 const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, offsets, dims, sizes, options));
  Call call("popops::multiUpdate", t, offsets, dims, sizes, plan, options, debugContext, false);
  update(graph, call, s, {}, prog, {di});
}

void groupedMultiUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                        const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                        Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                        const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, offsets, dims, sizes, options));
  Call call("popops::groupedMultiUpdate", t, offsets, dims, sizes, plan, options, debugContext,
            true);
  update(graph, call, s, {}, prog, {di});
}

void multiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const Tensor &scale, const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes, Sequence &prog, const SlicePlan &plan,
                    const OptionFlags &options, const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, offsets, scale, dims, sizes, options));
  Call call("popops::multiUpdateAdd", t, offsets, dims, sizes, plan, options, debugContext, false);
  update(graph, call, s, {Update::Add, scale}, prog, {di});
}

void multiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s, ArrayRef<unsigned> offsets,
                    const Tensor &scale, std::size_t dim, Sequence &prog,
                    const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, scale, dim, options));
  const std::string call = "popops::multiUpdateAdd";
  auto o = parseSliceOptions(options);
  checkSlice(call, t.shape(), {dim}, {1});
  for (std::size_t i = 0; i != offsets.size(); ++i)
    entryOf(call, i, offsets[i], t.dim(unsigned(dim)), o);
  auto places = constantOffsets(graph, offsets, {di, "offsets"});
  Call checked(call, t, places, {dim}, {1}, {}, options, debugContext, false);
  update(graph, checked, s, {Update::Add, scale}, prog, {di});
}

void groupedMultiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                           const Tensor &scale, const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, Sequence &prog,
                           const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, offsets, scale, dims, sizes, options));
  Call call("popops::groupedMultiUpdateAdd", t, offsets, dims, sizes, plan, options, debugContext,
            true);
  update(graph, call, s, {Update::Add, scale}, prog, {di});
}

void multiUpdateMax(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                    Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                    const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, offsets, dims, sizes, options));
  Call call("popops::multiUpdateMax", t, offsets, dims, sizes, plan, options, debugContext, false);
  update(graph, call, s, {Update::Max, {}}, prog, {di});
}

void groupedMultiUpdateMax(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                           const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, Sequence &prog,
                           const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, offsets, dims, sizes, options));
  Call call("popops::groupedMultiUpdateMax", t, offsets, dims, sizes, plan, options, debugContext,
            true);
  update(graph, call, s, {Update::Max, {}}, prog, {di});
}

void multiUpdateMul(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                    Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                    const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, offsets, dims, sizes, options));
  Call call("popops::multiUpdateMul", t, offsets, dims, sizes, plan, options, debugContext, false);
  update(graph, call, s, {Update::Mul, {}}, prog, {di});
}

void groupedMultiUpdateMul(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                           const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, Sequence &prog,
                           const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, offsets, dims, sizes, options));
  Call call("popops::groupedMultiUpdateMul", t, offsets, dims, sizes, plan, options, debugContext,
            true);
  update(graph, call, s, {Update::Mul, {}}, prog, {di});
}

} // namespace popops
