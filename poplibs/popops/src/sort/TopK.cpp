// SPDX-License-Identifier: MIT
// topK and its variants: checks and operands. Arithmetic: kernels/sort; cost: SortPlan.cpp.
#include "popops/TieOrder.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "sort/SortPlan.hpp"
#include <base/Text.hpp>
#include <ostream>

namespace popops {

std::ostream &operator<<(std::ostream &out, const SortOrder &order) {
  return out << (order == SortOrder::NONE        ? "NONE"
                 : order == SortOrder::ASCENDING ? "ASCENDING"
                                                 : "DESCENDING");
}

std::ostream &operator<<(std::ostream &out, const TopKParams &params) {
  return out << "{k=" << params.k << ",largest=" << (params.largest ? "true" : "false")
             << ",sortOrder=" << params.sortOrder
             << ",stableSort=" << (params.stableSort ? "true" : "false") << "}";
}

namespace {

using poplar::Tensor;
using sorting::SortExtra;
using sorting::SortSpec;

template <class... Parts> [[noreturn]] void fail(const Parts &...parts) {
  throw poputil::poplibs_error(base::str("popops::topK: ", parts...));
}

void check(const poplar::Type &type, const std::vector<std::size_t> &shape,
           const TopKParams &params) {
  if (shape.empty())
    fail("the tensor is a scalar; it needs a dimension to choose from.");
  if (params.k > shape.back())
    fail("k is ", params.k, ", but the innermost dimension of ", base::list(shape), " has only ",
         shape.back(), " elements.");
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    fail("keys of type ", type, " have no order here; use float, half, int or unsigned int.");
}

Tensor createOutput(poplar::Graph &graph, const poplar::Type &type, const Tensor &like, unsigned k,
                    const poplar::DebugContext &context) {
  auto shape = like.shape();
  shape.back() = k;
  auto out = graph.addVariable(type, shape, context);
  poputil::mapTensorLinearly(graph, out);
  return out;
}

void add(poplar::Graph &graph, poplar::program::Sequence &prog, const Tensor &keys,
         std::vector<openipu::Used> uses, const TopKParams &params, SortExtra extra,
         const poplar::DebugContext &context, TieOrder ties = TieOrder::First) {
  if (uses[0].tensor.numElements() == 0)
    return;
  SortSpec spec;
  spec.k = params.k;
  spec.largest = params.largest;
  spec.order = params.sortOrder;
  spec.extra = extra;
  spec.byIndex = params.stableSort && params.sortOrder == SortOrder::NONE;
  spec.ties = ties;
  prog.add(openipu::operation(graph,
                              {kernels::sort, std::move(uses), spec.write(),
                               sorting::sortPlan(graph, keys, spec, params.stableSort), context}));
}

} // namespace

Tensor createTopKInput(poplar::Graph &graph, const poplar::Type &type,
                       const std::vector<std::size_t> &shape, const TopKParams &params,
                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, shape));
  check(type, shape, params);
  auto t = graph.addVariable(type, shape, {di, "topKInput"});
  poputil::mapTensorLinearly(graph, t);
  di.addOutput(t);
  return t;
}

Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog, const Tensor &t,
            const TopKParams &params, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  check(t.elementType(), t.shape(), params);
  auto out = createOutput(graph, t.elementType(), t, params.k, {di, "keys"});
  add(graph, prog, t, {openipu::out(out), openipu::in(t)}, params, SortExtra::None, {di, "topK"});
  di.addOutput(out);
  return out;
}

std::pair<Tensor, Tensor> topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog,
                                       const Tensor &keys, const Tensor &values,
                                       const TopKParams &params,
                                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(keys, values));
  check(keys.elementType(), keys.shape(), params);
  if (params.stableSort)
    fail("a stable sort is not available for keys with values. Use topKWithPermutation.");
  if (keys.shape() != values.shape())
    fail("the keys have the shape ", keys.shapeToString(), " and the values ",
         values.shapeToString(), "; they must be equal.");
  auto outKeys = createOutput(graph, keys.elementType(), keys, params.k, {di, "keys"});
  auto outValues = createOutput(graph, values.elementType(), keys, params.k, {di, "values"});
  add(graph, prog, keys,
      {openipu::out(outKeys), openipu::out(outValues), openipu::in(keys), openipu::in(values)},
      params, SortExtra::Values, {di, "topKKeyValue"});
  return {outKeys, outValues};
}

std::pair<Tensor, Tensor> topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog,
                                              const Tensor &t, const TopKParams &params,
                                              const poplar::DebugContext &debugContext) {
  return topKWithTies(graph, prog, t, params, TieOrder::First, debugContext);
}

std::pair<Tensor, Tensor> topKWithTies(poplar::Graph &graph, poplar::program::Sequence &prog,
                                       const Tensor &t, const TopKParams &params, TieOrder ties,
                                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t), "topKWithPermutation");
  check(t.elementType(), t.shape(), params);
  auto keys = createOutput(graph, t.elementType(), t, params.k, {di, "keys"});
  auto indices = createOutput(graph, poplar::UNSIGNED_INT, t, params.k, {di, "indices"});
  add(graph, prog, t, {openipu::out(keys), openipu::out(indices), openipu::in(t)}, params,
      SortExtra::Indices, {di, "topKWithPermutation"}, ties);
  return {keys, indices};
}

} // namespace popops
