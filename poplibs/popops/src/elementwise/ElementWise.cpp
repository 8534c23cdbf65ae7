// SPDX-License-Identifier: MIT
// map, mapInPlace, mapWithOutput: checks, the choice of the output's place, and one operation
// "popops.map" (MapKernel.cpp) per expression.
#include "popops/ElementWise.hpp"
#include "base/Text.hpp"
#include "elementwise/MapPlan.hpp"
#include "openipu/Operation.hpp"
#include "openipu/Placement.hpp"
#include "popops/ExprOpUtils.hpp"
#include "poputil/Broadcast.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <tuple>

namespace popops {

using base::str;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::poplibs_error;
using poputil::PoplibsOpDebugInfo;
using Tensors = std::vector<Tensor>;
using Shape = std::vector<std::size_t>;

static std::string at(const DebugContext &context) {
  const std::string path = context.getPathName();
  return path.empty() ? "" : str(" (at \"", path, "\")");
}

// ---- shapes and places

// The shape that all broadcast to.
static Shape commonShape(const Tensors &ts, const DebugContext &context) {
  Shape out;
  for (const Tensor &t : ts) {
    const Shape shape = t.shape();
    if (shape.size() > out.size())
      out.insert(out.begin(), shape.size() - out.size(), 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      auto &size = out[out.size() - 1 - i];
      const std::size_t other = shape[shape.size() - 1 - i];
      if (size != other && size != 1 && other != 1) {
        std::string shapes;
        for (const Tensor &u : ts)
          shapes += (shapes.empty() ? "" : " and ") + u.shapeToString();
        throw poplibs_error(str("popops: shapes ", shapes, " do not broadcast: dimension ",
                                out.size() - 1 - i, " is ", size, " and ", other,
                                ". Make them equal, or make one of them 1.", at(context)));
      }
      if (size == 1)
        size = other;
    }
  }
  return out;
}

// Smaller is better spread.
static auto spread(const Graph &graph, const Tensor &t) {
  std::uint64_t most = 0, regions = 0;
  const auto tiles = openipu::elementsByTile(graph, t);
  for (const auto &tile : tiles) {
    most = std::max(most, tile.elements);
    regions += tile.regions;
  }
  return std::make_tuple(most, -std::int64_t(tiles.size()), regions);
}

Tensor createOutputForElementWiseOp(Graph &graph, const Tensors &inputs, const Type &outputType,
                                    const DebugContext &debugContext) {
  const Shape shape = commonShape(inputs, debugContext);
  Tensors candidates;
  for (const Tensor &t : inputs)
    if (t.shape() == shape && !t.containsAliases() && !t.containsConstant())
      candidates.push_back(t);
  if (candidates.empty())
    return graph.addVariable(outputType, shape, poplar::VariableMappingMethod::LINEAR,
                             debugContext);
  std::size_t best = 0;
  if (candidates.size() > 1 && candidates[0].numElements()) {
    auto least = spread(graph, candidates[0]);
    for (std::size_t i = 1; i < candidates.size(); ++i)
      if (candidates[i] != candidates[best])
        if (auto other = spread(graph, candidates[i]); other < least)
          least = other, best = i;
  }
  return graph.clone(outputType, candidates[best], debugContext);
}

// ---- one expression

namespace {
struct Target {
  Tensor tensor; // invalid: make one
  bool inPlace = false;
};
} // namespace

static void checkTarget(const char *what, const Tensor &target, const Type &type,
                        const Shape &shape, const DebugContext &context) {
  if (target.elementType() != type)
    throw poplibs_error(str("popops::", what, ": the result has type ", type,
                            ", but the tensor to write has type ", target.elementType(), ".",
                            at(context)));
  if (target.shape() != shape)
    throw poplibs_error(str("popops::", what, ": the result has shape ", base::list(shape),
                            ", but the tensor to write has shape ", target.shapeToString(), ".",
                            at(context)));
  if (!target.isParallelWriteable())
    throw poplibs_error(str("popops::", what, ": the tensor to write, of shape ",
                            target.shapeToString(),
                            ", is a constant or shows one element in several places. Copy it to a "
                            "variable of its own first.",
                            at(context)));
}

void addMap(Graph &graph, const MapTree &tree, const MapOperands &operands, openipu::Plan plan,
            Sequence &prog, const DebugContext &context) {
  if (operands.out.numElements() == 0)
    return;
  Tensor out = operands.out;
  std::vector<openipu::Used> uses;
  bool overlaps = false;
  for (unsigned i : operands.inputs) {
    Tensor t = operands.ts[i];
    poputil::broadcastToMatch(t, out.shape());
    overlaps |= openipu::overlap(t, out) == openipu::Overlap::Some;
    uses.push_back(openipu::in(t));
  }
  if (overlaps) // the operands must survive until all of them are read
    out = graph.clone(operands.out, {context, "beforeOverlap"});
  uses.insert(uses.begin(), openipu::out(out));
  prog.add(openipu::operation(
      graph, {"popops.map", std::move(uses), programOf(tree).write(), std::move(plan), context}));
  if (overlaps)
    prog.add(Copy(out, operands.out, false, {context, "overlap"}));
}

static Tensor mapTo(Graph &graph, const expr::Expr &expr, const Tensors &ts, const Target &target,
                    Sequence &prog, const DebugContext &context, const OptionFlags &flags) {
  const MapOptions options = parseMapOptions(flags);
  const MapTree tree =
      buildTree(expr, ts, options.enableExpressionOptimizations, context.getPathName());
  MapOperands operands{ts, {}, tree.inputs(), target.inPlace};
  Tensors used;
  for (unsigned i : operands.inputs)
    used.push_back(ts[i]);
  const Shape shape = commonShape(used, context);
  if (target.tensor.valid())
    checkTarget(target.inPlace ? "mapInPlace" : "mapWithOutput", target.tensor, tree.type(), shape,
                context);
  operands.out = target.tensor.valid()
                     ? target.tensor
                     : createOutputForElementWiseOp(graph, used, tree.type(), {context, "out"});
  addMap(graph, tree, operands, planMap(graph, tree, operands, options, expr.name(ts)), prog,
         context);
  return operands.out;
}

Tensor map(Graph &graph, const expr::Expr &expr, const Tensors &ts, Sequence &prog,
           const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(ts, options));
  auto out = mapTo(graph, expr, ts, {}, prog, {di}, options);
  di.addOutput(out);
  return out;
}

void mapInPlace(Graph &graph, const expr::Expr &expr, const Tensors &ts, Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(ts, options));
  if (ts.empty())
    throw poplibs_error("popops::mapInPlace: no tensor was given to write the result to.");
  mapTo(graph, expr, ts, {ts[0], true}, prog, {di}, options);
}

void mapWithOutput(Graph &graph, const expr::Expr &expr, const Tensors &ts, const Tensor &out,
                   Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(ts, out, options));
  mapTo(graph, expr, ts, {out, false}, prog, {di}, options);
}

// ---- several expressions

Tensors map(Graph &graph, const std::vector<expr::Any> &exprs, const Tensors &ts, Sequence &prog,
            const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(ts, options));
  Tensors outs;
  for (const auto &expr : exprs)
    outs.push_back(mapTo(graph, expr, ts, {}, prog, {di}, options));
  return outs;
}

// All results are computed before the first one overwrites a tensor that others may read.
static void mapThenCopy(Graph &graph, const std::vector<expr::Any> &exprs, const Tensors &ts,
                        const Tensors &targets, const char *what, Sequence &prog,
                        const DebugContext &context, const OptionFlags &options) {
  if (exprs.size() == 1) {
    const bool inPlace = !ts.empty() && targets[0] == ts[0];
    mapTo(graph, exprs[0], ts, {targets[0], inPlace}, prog, context, options);
    return;
  }
  Tensors results;
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    results.push_back(mapTo(graph, exprs[i], ts, {}, prog, context, options));
    checkTarget(what, targets[i], results[i].elementType(), results[i].shape(), context);
  }
  for (std::size_t i = 0; i < exprs.size(); ++i)
    if (results[i].numElements())
      prog.add(Copy(results[i], targets[i], false, context));
}

void mapInPlace(Graph &graph, const std::vector<expr::Any> &exprs, const Tensors &ts,
                Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(ts, options));
  if (ts.size() < exprs.size())
    throw poplibs_error(str("popops::mapInPlace: ", exprs.size(), " expressions, but only ",
                            ts.size(), " tensors to write them to.", at(debugContext)));
  mapThenCopy(graph, exprs, ts, ts, "mapInPlace", prog, {di}, options);
}

void mapWithOutput(Graph &graph, const std::vector<expr::Any> &exprs, const Tensors &ts,
                   const Tensors &outs, Sequence &prog, const DebugContext &debugContext,
                   const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(ts, outs, options));
  if (outs.size() != exprs.size())
    throw poplibs_error(str("popops::mapWithOutput: ", exprs.size(), " expressions, but ",
                            outs.size(), " outputs.", at(debugContext)));
  mapThenCopy(graph, exprs, ts, outs, "mapWithOutput", prog, {di}, options);
}

// ---- the rest

Tensor detail::constantLike(Graph &graph, const Tensor &like, const expr::Const &value,
                            const DebugContext &debugContext) {
  const Type given = value.getType(), type = like.elementType();
  const bool fits = given == type || ((given == poplar::FLOAT || given == poplar::DOUBLE) &&
                                      (type == poplar::FLOAT || type == poplar::HALF));
  if (!fits)
    throw std::runtime_error(str("popops: the constant ", value.printValue(), " has type ", given,
                                 ", but the tensor has type ", type,
                                 ". Give a constant of the tensor's type.", at(debugContext)));
  Tensor constant = graph.addConstant(type, {}, value.getData(), value.getTypeTraits(), true,
                                      {debugContext, "constant"});
  graph.setTileMapping(constant, 0);
  return constant;
}

// The source is FLOAT or HALF, the result of either type; computed in the wider one.
static Tensor convertVariance(Graph &graph, expr::BinaryOpType op, const Tensor &src,
                              const Tensor &epsilon, Sequence &prog, const Type &dstType,
                              const DebugContext &context) {
  if (src.elementType() == dstType)
    return map(graph, op, src, epsilon, prog, context);
  const Type narrow =
      op == expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV ? dstType : src.elementType();
  const Type wide = narrow == dstType ? src.elementType() : dstType;
  if (narrow != poplar::HALF || wide != poplar::FLOAT)
    throw poplibs_error(str("popops: ", op, " from ", src.elementType(), " to ", dstType,
                            " is not available.", at(context)));
  using namespace expr;
  return map(graph, Cast(BinaryOp(op, Cast(_1, poplar::FLOAT), Cast(_2, poplar::FLOAT)), dstType),
             {src, epsilon}, prog, context);
}

Tensor varianceToInvStdDev(Graph &graph, const Tensor &src, const Tensor &epsilon, Sequence &prog,
                           const Type dstType, const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, epsilon, dstType));
  return convertVariance(graph, expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV, src, epsilon, prog,
                         dstType, {di});
}

Tensor invStdDevToVariance(Graph &graph, const Tensor &src, const Tensor &epsilon, Sequence &prog,
                           const Type dstType, const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, epsilon, dstType));
  return convertVariance(graph, expr::BinaryOpType::INV_STD_DEV_TO_VARIANCE, src, epsilon, prog,
                         dstType, {di});
}

} // namespace popops
