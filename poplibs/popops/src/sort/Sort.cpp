// SPDX-License-Identifier: MIT
// sort, sortKeyValue and the same in place: the whole of a dimension, ascending.
#include "popops/Sort.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "sort/SortPlan.hpp"
#include <base/Text.hpp>

namespace popops {

namespace {

using poplar::Tensor;
using sorting::SortExtra;
using sorting::SortSpec;

template <class... Parts> [[noreturn]] void fail(const char *name, const Parts &...parts) {
  throw poputil::poplibs_error(base::str("popops::", name, ": ", parts...));
}

void check(const Tensor &k, unsigned dim, const char *name) {
  auto type = k.elementType();
  if (dim >= k.rank())
    fail(name, "dimension ", dim, " is not one of the ", k.rank(), " of ", k.shapeToString(), ".");
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    fail(name, "keys of type ", type, " have no order here; use float, half, int or unsigned int.");
}

void checkValues(const Tensor &k, const Tensor &v, const char *name) {
  if (k.shape() != v.shape())
    fail(name, "the keys have the shape ", k.shapeToString(), " and the values ", v.shapeToString(),
         "; they must be equal.");
}

// The sorted dimension last.
Tensor rolled(const Tensor &t, unsigned dim) { return t.dimRoll(dim, t.rank() - 1); }

void add(poplar::Graph &graph, const Tensor &k, unsigned dim, std::vector<openipu::Used> uses,
         SortSpec spec, poplar::program::Sequence &prog, const poplar::DebugContext &context) {
  if (k.numElements() == 0)
    return;
  spec.k = k.dim(dim);
  for (auto &used : uses)
    used.tensor = rolled(used.tensor, dim);
  prog.add(
      openipu::operation(graph, {kernels::sort, std::move(uses), spec.write(),
                                 sorting::sortPlan(graph, rolled(k, dim), spec, false), context}));
}

} // namespace

Tensor sort(poplar::Graph &graph, const Tensor &t, unsigned dim, poplar::program::Sequence &prog,
            const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dim));
  check(t, dim, "sort");
  auto out = graph.clone(t, {di, "sorted"});
  add(graph, t, dim, {openipu::out(out), openipu::in(t)}, {}, prog, {di, "sort"});
  di.addOutput(out);
  return out;
}

void sortInPlace(poplar::Graph &graph, const Tensor &t, unsigned dim,
                 poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dim));
  check(t, dim, "sortInPlace");
  SortSpec spec;
  spec.inPlace = true;
  add(graph, t, dim, {openipu::inOut(t)}, spec, prog, {di, "sortInPlace"});
}

Tensor sortKeyValue(poplar::Graph &graph, const Tensor &k, const Tensor &v, unsigned dim,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(k, v, dim));
  check(k, dim, "sortKeyValue");
  checkValues(k, v, "sortKeyValue");
  auto out = graph.clone(v, {di, "sorted"});
  SortSpec spec;
  spec.wantKeys = false;
  spec.extra = SortExtra::Values;
  add(graph, k, dim, {openipu::out(out), openipu::in(k), openipu::in(v)}, spec, prog,
      {di, "sortKeyValue"});
  di.addOutput(out);
  return out;
}

void sortKeyValueInPlace(poplar::Graph &graph, const Tensor &k, const Tensor &v, unsigned dim,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(k, v, dim));
  check(k, dim, "sortKeyValueInPlace");
  checkValues(k, v, "sortKeyValueInPlace");
  SortSpec spec;
  spec.inPlace = true;
  spec.extra = SortExtra::Values;
  add(graph, k, dim, {openipu::inOut(k), openipu::inOut(v)}, spec, prog,
      {di, "sortKeyValueInPlace"});
}

} // namespace popops
