// SPDX-License-Identifier: MIT
// Casts. Plain types are an expression of one operator; 8-bit floats have a kernel of their own,
// which reads format and scale from the metadata tensors.
#include "popops/Cast.hpp"
#include "base/Text.hpp"
#include "elementwise/MapPlan.hpp"
#include "openipu/Operation.hpp"
#include "popops/ElementWise.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/kernels/CastQuarter.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/VertexTemplates.hpp"
#include <algorithm>
#include <cmath>
#include <poplar/MetadataCreation.hpp>

namespace popops {

using base::str;
using namespace poplar;
using poplar::program::Program;
using poplar::program::Sequence;
using poputil::poplibs_error;

// ---- what can be cast

static bool isOneOf(const Type &type, std::initializer_list<Type> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}
static bool isByte(const Type &t) { return isOneOf(t, {CHAR, SIGNED_CHAR, UNSIGNED_CHAR}); }
static bool canCast(const Type &from, const Type &to) {
  if (from == to)
    return true;
  if (from == QUARTER || to == QUARTER) {
    const Type &other = from == QUARTER ? to : from;
    return isOneOf(other, {FLOAT, HALF}) || isByte(other);
  }
  auto plain = [](const Type &t) {
    return isByte(t) || isOneOf(t, {FLOAT, HALF, INT, SHORT, UNSIGNED_INT, UNSIGNED_SHORT, BOOL});
  };
  if (isOneOf(to, {LONGLONG, UNSIGNED_LONGLONG}))
    return (plain(from) && !isOneOf(from, {FLOAT, HALF})) ||
           isOneOf(from, {LONGLONG, UNSIGNED_LONGLONG});
  return plain(from) && plain(to);
}

static void check(const Tensor &src, const Tensor &dst) {
  if (src.shape() != dst.shape())
    throw poplibs_error(str("popops::cast: the source has shape ", src.shapeToString(),
                            ", but the destination has shape ", dst.shapeToString(), "."));
  if (!canCast(src.elementType(), dst.elementType()))
    throw poplibs_error(
        str("popops::cast: cannot cast ", src.elementType(), " to ", dst.elementType(), "."));
}

// ---- operations

static openipu::Plan planCast(const Graph &graph, const Tensor &src, const Tensor &dst,
                              std::size_t operands) {
  const auto tiles = openipu::elementsByTile(graph, dst);
  const auto &chip = openipu::chipOf(graph);
  const Type from = src.elementType(), to = dst.elementType();
  openipu::Superstep step;
  step.name = "Cast";
  step.vertex = poputil::templateVertex(
      !tiles.empty() && tiles[0].regions > 1 ? "popops::Cast2D" : "popops::Cast1D", from, to);
  step.tiles = workOn(chip, tiles, [&](std::uint64_t n, unsigned regions) {
    return cost::castCycles(chip, from, to, n, regions);
  });
  if (operands > 1)
    step.needs.push_back({1, 0});
  openipu::Plan plan;
  plan.add(std::move(step));
  return plan;
}

// A tensor without metadata is F143 with scale 0.
static Tensor metadataOf(Graph &graph, const Tensor &t) {
  if (t.hasMetadata())
    return t.getMetadata();
  auto metadata = createConstantMetadataTensor(graph, QuarterMetadata::Format::F143, 0);
  graph.setTileMapping(metadata, 0);
  return metadata;
}

static openipu::Operation castOperation(Graph &graph, const Tensor &src, const Tensor &dst,
                                        const DebugContext &context) {
  std::vector<openipu::Used> uses{openipu::out(dst), openipu::in(src)};
  auto plan = planCast(graph, src, dst, uses.size());
  const bool quarter = src.elementType() == QUARTER || dst.elementType() == QUARTER;
  if (!quarter) {
    const MapTree tree = buildTree(expr::Cast(expr::_1, dst.elementType()), {src}, true, "");
    return {kernels::map, std::move(uses), programOf(tree).write(), std::move(plan), context};
  }
  for (const Tensor *t : {&src, &dst})
    if (t->elementType() == QUARTER)
      uses.push_back(openipu::in(metadataOf(graph, *t)));
  return {kernels::castQuarter, std::move(uses), "", std::move(plan), context};
}

// The same 8-bit format cannot be told before the program runs, so quarters are always cast.
static bool isCopy(const Tensor &src, const Tensor &dst) {
  return src.elementType() == dst.elementType() && src.elementType() != QUARTER;
}

static Tensor placeFor(Graph &graph, const Tensor &src, const Type &type, const Tensor *metadata,
                       const DebugContext &context) {
  if (!canCast(src.elementType(), type))
    throw poplibs_error(str("popops::cast: cannot cast ", src.elementType(), " to ", type, "."));
  if (type == QUARTER && !metadata)
    throw poplibs_error(str("popops::cast: a cast from ", src.elementType(),
                            " to quarter needs metadata (format and scale)."));
  if (type != QUARTER && metadata)
    throw poplibs_error(str("popops::cast: metadata is for quarter tensors, not for ", type, "."));
  if (src.containsAliases() || src.containsConstant()) {
    const auto linear = VariableMappingMethod::LINEAR;
    return metadata ? graph.addVariable(type, *metadata, src.shape(), linear, context)
                    : graph.addVariable(type, src.shape(), linear, context);
  }
  return metadata ? graph.clone(type, *metadata, src, context) : graph.clone(type, src, context);
}

Program cast(Graph &graph, Tensor src, Tensor dst, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, dst));
  check(src, dst);
  if (dst.numElements() == 0)
    return Sequence();
  if (isCopy(src, dst))
    return program::Copy(src, dst, false, {di});
  return openipu::operation(graph, castOperation(graph, src, dst, {di}));
}

void castWithOutput(Graph &graph, const Tensor &src, const Tensor &dst, Sequence &prog,
                    const DebugContext &debugContext) {
  prog.add(cast(graph, src, dst, debugContext));
}

static Tensor castTo(Graph &graph, const Tensor &src, const Type &type, const Tensor *metadata,
                     Sequence &prog, const DebugContext &debugContext) {
  const Tensor dst = placeFor(graph, src, type, metadata, {debugContext, "cast"});
  prog.add(cast(graph, src, dst, debugContext));
  return dst;
}
Tensor cast(Graph &graph, const Tensor &src, const Type &dstType, Sequence &prog,
            const DebugContext &debugContext) {
  return castTo(graph, src, dstType, nullptr, prog, debugContext);
}
Tensor cast(Graph &graph, const Tensor &src, const Type &dstType, const Tensor &metadata,
            Sequence &prog, const DebugContext &debugContext) {
  return castTo(graph, src, dstType, &metadata, prog, debugContext);
}

void cast(Graph &graph, Tensor src, Tensor dst, ComputeSet cs) {
  check(src, dst);
  if (dst.numElements())
    openipu::addOperation(graph, cs, castOperation(graph, src, dst, {"cast"}));
}
Tensor cast(Graph &graph, Tensor src, const Type &dstType, ComputeSet cs,
            const DebugContext &debugContext) {
  const Tensor dst = placeFor(graph, src, dstType, nullptr, {debugContext, "cast"});
  cast(graph, src, dst, cs);
  return dst;
}
Tensor cast(Graph &graph, Tensor src, const Type &dstType, const Tensor &metadata, ComputeSet cs,
            const DebugContext &debugContext) {
  const Tensor dst = placeFor(graph, src, dstType, &metadata, {debugContext, "cast"});
  cast(graph, src, dst, cs);
  return dst;
}

Tensor checkAccuracyWhenCast(Graph &graph, const Tensor &input, Type outputType, double tolerance,
                             Sequence &prog, const DebugContext &debugContext) {
  if (input.elementType() != FLOAT || outputType != HALF || input.numElements() != 1)
    throw poplibs_error(str("popops::checkAccuracyWhenCast: one float is checked against half, but "
                            "the input is ",
                            input.elementType(), " of shape ", input.shapeToString(),
                            " and the output type ", outputType, "."));
  using namespace expr;
  const auto back = Cast(Cast(_1, HALF), FLOAT);
  return map(graph, Abs(Sub(back, _1)) <= Abs(_1) * Const(float(tolerance)), {input.reshape({})},
             prog, debugContext);
}

} // namespace popops
