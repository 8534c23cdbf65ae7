// SPDX-License-Identifier: MIT
// map, mapInPlace, mapWithOutput: checks, the choice of the outputs' places, and one operation
// "popops.map" (kernels/elementwise) for all expressions whose results have one shape.
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

namespace poputil {

template <> poplar::ProfileValue toProfileValue(const popops::expr::Expr &expr) {
  base::TextStream text;
  expr.print(text, 0, false);
  return poplar::ProfileValue(text.str());
}
template <> poplar::ProfileValue toProfileValue(const popops::expr::Any &expr) {
  return toProfileValue(static_cast<const popops::expr::Expr &>(expr));
}

} // namespace poputil

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

Shape commonShape(const Tensors &ts, const DebugContext &context) {
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

// ---- expressions

void checkTarget(const char *what, const Tensor &target, const Type &type, const Shape &shape,
                 const DebugContext &context) {
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

// Where the results go while the operands are read: another tensor if one of them would be
// overwritten elsewhere.
static Tensors safeOutputs(Graph &graph, const MapOperands &operands, const DebugContext &context) {
  Tensors outs = operands.outs;
  for (std::size_t k = 0; k < outs.size(); ++k) {
    const Tensor &out = operands.outs[k];
    bool overlaps = false;
    for (unsigned i : operands.inputs) {
      Tensor t = operands.ts[i];
      poputil::broadcastToMatch(t, out.shape());
      overlaps |= openipu::overlap(t, out) == openipu::Overlap::Some;
    }
    for (std::size_t other = 0; other < k; ++other)
      overlaps |= openipu::overlap(operands.outs[other], out) != openipu::Overlap::None;
    if (overlaps)
      outs[k] = graph.clone(out, {context, "beforeOverlap"});
  }
  return outs;
}

void addMaps(Graph &graph, const MapTree &tree, const std::vector<MapOperands> &lists,
             openipu::Plan plan, Sequence &prog, const DebugContext &context) {
  if (lists.empty() || lists[0].outs[0].numElements() == 0)
    return;
  std::vector<openipu::Used> uses;
  std::vector<Tensors> outs;
  for (const auto &operands : lists) {
    outs.push_back(safeOutputs(graph, operands, context));
    for (const Tensor &out : outs.back())
      uses.push_back(openipu::out(out));
  }
  for (const auto &operands : lists)
    for (unsigned i : operands.inputs) {
      Tensor t = operands.ts[i];
      poputil::broadcastToMatch(t, operands.outs[0].shape());
      uses.push_back(openipu::in(t));
    }
  prog.add(openipu::operation(
      graph, {kernels::map, std::move(uses), programOf(tree).write(), std::move(plan), context}));
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (std::size_t k = 0; k < outs[i].size(); ++k)
      if (outs[i][k] != lists[i].outs[k])
        prog.add(Copy(outs[i][k], lists[i].outs[k], false, {context, "overlap"}));
}

namespace {
using Exprs = std::vector<const expr::Expr *>;

struct Call {
  const char *what;
  Exprs exprs;
  const Tensors &ts;
  Tensors targets = {}; // none: make them
  bool inPlace = false; // the result overwrites the first operand

  std::string name() const {
    std::string out;
    for (const auto *expr : exprs)
      out += (out.empty() ? "" : "_") + expr->name(ts);
    return out;
  }
};
} // namespace

// Tensors that a root of the tree reads.
static Tensors usedBy(const MapTree &tree, std::size_t root, const Tensors &ts) {
  Tensors used;
  for (unsigned i : tree.only(root).inputs())
    used.push_back(ts[i]);
  return used;
}

// The same, or what it reads as it was written if that has another shape: simplifying leaves
// operands out, and their shapes count all the same.
static Tensors shapedLike(const MapTree &tree, std::size_t root, const Call &call,
                          const DebugContext &context) {
  Tensors used = usedBy(tree, root, call.ts);
  if (used.size() == call.ts.size())
    return used;
  const auto whole = buildTree(*call.exprs[root], call.ts, false, context.getPathName());
  Tensors all = usedBy(whole, 0, call.ts);
  return commonShape(all, context) == commonShape(used, context) ? used : all;
}

// One operation for every shape that results have.
static void addByShape(Graph &graph, const MapTree &tree, const Call &call, const Tensors &outs,
                       const MapOptions &options, Sequence &prog, const DebugContext &context) {
  std::vector<bool> done(outs.size());
  for (std::size_t first = 0; first < outs.size(); ++first) {
    if (done[first])
      continue;
    MapTree part{tree.nodes, {}};
    Call same{call.what, {}, call.ts, {}, call.inPlace};
    for (std::size_t k = first; k < outs.size(); ++k)
      if (outs[k].shape() == outs[first].shape()) {
        done[k] = true;
        part.roots.push_back(tree.roots[k]);
        same.exprs.push_back(call.exprs[k]);
        same.targets.push_back(outs[k]);
      }
    const MapOperands operands{call.ts, same.targets, part.inputs(), call.inPlace};
    addMap(graph, part, operands, planMap(graph, part, operands, options, same.name()), prog,
           context);
  }
}

static Tensors run(Graph &graph, const Call &call, Sequence &prog, const DebugContext &context,
                   const OptionFlags &flags) {
  const MapOptions options = parseMapOptions(flags);
  const MapTree tree =
      buildTree(call.exprs, call.ts, options.enableExpressionOptimizations, context.getPathName());
  Tensors outs = call.targets;
  bool oneShape = true;
  for (std::size_t k = 0; k < call.exprs.size(); ++k) {
    const Tensors used = shapedLike(tree, k, call, context);
    const Shape shape = commonShape(used, context);
    if (call.targets.empty())
      outs.push_back(createOutputForElementWiseOp(graph, used, tree.type(k), {context, "out"}));
    else
      checkTarget(call.what, outs[k], tree.type(k), shape, context);
    oneShape &= outs[k].shape() == outs[0].shape();
  }
  if (call.targets.empty() || oneShape) {
    addByShape(graph, tree, call, outs, options, prog, context);
    return outs;
  }
  // All results are computed before the first one overwrites a tensor that others may read.
  const Tensors results = run(graph, {call.what, call.exprs, call.ts}, prog, context, flags);
  for (std::size_t k = 0; k < outs.size(); ++k)
    if (results[k].numElements())
      prog.add(Copy(results[k], outs[k], false, context));
  return outs;
}

Tensor map(Graph &graph, const expr::Expr &expr, const Tensors &ts, Sequence &prog,
           const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(expr, ts, options));
  auto out = run(graph, {"map", {&expr}, ts}, prog, {di}, options)[0];
  di.addOutput(out);
  return out;
}

void mapInPlace(Graph &graph, const expr::Expr &expr, const Tensors &ts, Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(expr, ts, options));
  if (ts.empty())
    throw poplibs_error("popops::mapInPlace: no tensor was given to write the result to.");
  run(graph, {"mapInPlace", {&expr}, ts, {ts[0]}, true}, prog, {di}, options);
}

void mapWithOutput(Graph &graph, const expr::Expr &expr, const Tensors &ts, const Tensor &out,
                   Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(expr, ts, out, options));
  run(graph, {"mapWithOutput", {&expr}, ts, {out}}, prog, {di}, options);
}

static Exprs pointers(const std::vector<expr::Any> &exprs) {
  Exprs out;
  for (const expr::Expr &expr : exprs)
    out.push_back(&expr);
  return out;
}

Tensors map(Graph &graph, const std::vector<expr::Any> &exprs, const Tensors &ts, Sequence &prog,
            const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(exprs, ts, options));
  return run(graph, {"map", pointers(exprs), ts}, prog, {di}, options);
}

void mapInPlace(Graph &graph, const std::vector<expr::Any> &exprs, const Tensors &ts,
                Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(exprs, ts, options));
  if (ts.size() < exprs.size())
    throw poplibs_error(str("popops::mapInPlace: ", exprs.size(), " expressions, but only ",
                            ts.size(), " tensors to write them to.", at(debugContext)));
  if (exprs.empty())
    return;
  const Tensors targets(ts.begin(), ts.begin() + std::ptrdiff_t(exprs.size()));
  run(graph, {"mapInPlace", pointers(exprs), ts, targets, exprs.size() == 1}, prog, {di}, options);
}

void mapWithOutput(Graph &graph, const std::vector<expr::Any> &exprs, const Tensors &ts,
                   const Tensors &outs, Sequence &prog, const DebugContext &debugContext,
                   const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(exprs, ts, outs, options));
  if (outs.size() != exprs.size())
    throw poplibs_error(str("popops::mapWithOutput: ", exprs.size(), " expressions, but ",
                            outs.size(), " outputs.", at(debugContext)));
  if (!exprs.empty())
    run(graph, {"mapWithOutput", pointers(exprs), ts, outs}, prog, {di}, options);
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
