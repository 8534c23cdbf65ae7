// SPDX-License-Identifier: MIT
// a * A + b * B in place. Floating types are computed in float and rounded once, when A is stored.
#include "popops/ScaledAdd.hpp"
#include "base/Half.hpp"
#include "base/Text.hpp"
#include "elementwise/MapPlan.hpp"
#include "popops/ElementWise.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/VertexTemplates.hpp"
#include <cmath>
#include <optional>

namespace popops {

using base::str;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;
using poputil::templateVertex;
using Form = cost::ScaledAdd;

namespace {

struct Options {
  bool optimizeForSpeed = false;
  double scaleFloatToHalfTolerance = 1e-6;
  explicit Options(const OptionFlags &flags) {
    using poplibs::OptionHandler;
    const poplibs::OptionSpec spec{
        {"optimizeForSpeed", OptionHandler::createWithBool(optimizeForSpeed)},
        {"scaleFloatToHalfTolerance",
         OptionHandler::createWithDouble(scaleFloatToHalfTolerance, 0.0)}};
    for (const auto &option : flags)
      spec.parse(option.first, option.second);
  }
};

// A number or a tensor of one element.
struct Scale {
  std::optional<float> number;
  Tensor tensor;
  Scale(float value) : number(value) {}
  Scale(const Tensor &t) : tensor(t) {}
};

struct ScaledSum {
  Tensor A, B;
  std::optional<Scale> scaleA; // none: 1
  Scale scaleB;
  bool subtract = false, xMinusAx = false;
};

[[noreturn]] void fail(const std::string &message, const DebugContext &context) {
  const std::string path = context.getPathName();
  throw poplibs_error(
      str("popops::scaledAdd: ", message, path.empty() ? "" : str(" (at \"", path, "\")")));
}

bool isFloating(const Type &t) { return t == FLOAT || t == HALF; }

// The type that a number is given in beside these data.
Type typeOf(float number, const Type &a, const Type &b, const Options &options) {
  if (!isFloating(a) || (a == FLOAT && b == FLOAT))
    return a;
  const float rounded = base::halfToFloat(base::floatToHalf(number));
  const double error = std::fabs(double(rounded) - number);
  return error <= options.scaleFloatToHalfTolerance * std::fabs(double(number)) ? HALF : FLOAT;
}

Type scaleType(const ScaledSum &sum, const Options &options, const DebugContext &context) {
  const Type a = sum.A.elementType(), b = sum.B.elementType();
  auto of = [&](const Scale &scale) {
    return scale.number ? typeOf(*scale.number, a, b, options) : scale.tensor.elementType();
  };
  const Type type = of(sum.scaleB);
  if (!sum.scaleA)
    return type;
  const Type other = of(*sum.scaleA);
  if (other == type)
    return type;
  if (sum.scaleA->number && sum.scaleB.number)
    return FLOAT; // one of them does not fit half
  fail(str("scaleA has type ", other, " and scaleB has type ", type, ". They must be the same."),
       context);
}

void check(const ScaledSum &sum, const Type &scale, const DebugContext &context) {
  const Type a = sum.A.elementType(), b = sum.B.elementType();
  if (sum.A.shape() != sum.B.shape())
    fail(str("A has shape ", sum.A.shapeToString(), " and B has shape ", sum.B.shapeToString(),
             ". They must be equal."),
         context);
  if (!sum.A.isParallelWriteable())
    fail("A is a constant or shows one element in several places, so it cannot be updated.",
         context);
  const bool known = isFloating(a) ? isFloating(b) && isFloating(scale) &&
                                         !(a == FLOAT && b == FLOAT && scale != FLOAT)
                                   : (a == INT || a == UNSIGNED_INT) && b == a && scale == a;
  if (!known)
    fail(str("the types ", a, ", ", b, " and ", scale, " of A, B and scale are not available."),
         context);
  if (sum.xMinusAx && (a != HALF || b != HALF))
    fail(str("X_MINUS_AX_PLUS_BY is for half tensors, not for ", a, " and ", b, "."), context);
  for (const Scale *s : {sum.scaleA ? &*sum.scaleA : nullptr, &sum.scaleB})
    if (s && !s->number && s->tensor.numElements() != 1)
      fail(str("a scale has shape ", s->tensor.shapeToString(), "; it must be one element."),
           context);
}

// The sum as an expression of ts = {A, B, scale tensors}.
expr::Any expressionOf(const ScaledSum &sum, const Type &scale, std::vector<Tensor> &ts) {
  using namespace expr;
  const bool floating = isFloating(sum.A.elementType());
  auto wide = [&](const Expr &e) { return floating ? Any(expr::Cast(e, FLOAT)) : Any(e); };
  auto value = [&](const Scale &s) -> Any {
    if (s.number && floating)
      return Const(scale == HALF ? base::halfToFloat(base::floatToHalf(*s.number)) : *s.number);
    if (s.number)
      return sum.A.elementType() == INT ? Const(int(*s.number)) : Const(unsigned(*s.number));
    ts.push_back(s.tensor.reshape({}));
    return wide(PlaceHolder(unsigned(ts.size())));
  };
  ts = {sum.A, sum.B};
  Any result = wide(_1);
  const Any term = Mul(wide(_2), value(sum.scaleB));
  if (sum.scaleA) {
    const Any scaled = Mul(result, value(*sum.scaleA));
    result = sum.xMinusAx ? Any(Sub(result, scaled)) : scaled;
  }
  result = sum.subtract ? Any(Sub(result, term)) : Any(Add(result, term));
  return floating ? Any(expr::Cast(result, sum.A.elementType())) : result;
}

std::string vertexOf(const ScaledSum &sum, const Type &scale, bool fast, bool many) {
  const Type a = sum.A.elementType(), b = sum.B.elementType();
  const char *kind = many ? "2D" : "Supervisor";
  if (sum.xMinusAx)
    return templateVertex(str("popops::XMinusaXPlusbY", kind), a, fast);
  if (sum.scaleA)
    return templateVertex(str("popops::aX", sum.subtract ? "Minus" : "Plus", "bY", kind), a, scale,
                          fast);
  if (sum.subtract)
    return many ? templateVertex("popops::ScaledSubtract2D", a, scale, fast)
                : templateVertex("popops::ScaledSubtractSupervisor", a, b, scale, fast);
  return templateVertex(str("popops::ScaledAdd", kind), a, b, scale, fast);
}

openipu::Plan planOf(const Graph &graph, const ScaledSum &sum, const Type &scale, bool fast,
                     std::size_t operands) {
  const auto tiles = openipu::elementsByTile(graph, sum.A);
  const auto &chip = openipu::chipOf(graph);
  const bool many = !tiles.empty() && tiles[0].regions > 1;
  const Form form = sum.scaleA ? (sum.subtract ? Form::aAMinusbB : Form::aAPlusbB)
                               : (sum.subtract ? Form::AMinusbB : Form::APlusbB);
  openipu::Superstep step;
  step.name = sum.subtract ? "ScaledSubtract" : "ScaledAdd";
  step.vertex = vertexOf(sum, scale, fast, many);
  step.tiles = workOn(chip, tiles, [&](std::uint64_t n, unsigned regions) {
    return cost::scaledAddCycles(chip, sum.A.elementType(), sum.B.elementType(), scale, n, form,
                                 fast, regions);
  });
  const unsigned each = sum.scaleA ? (sum.xMinusAx ? 5 : 3) : 2;
  step.flops = isFloating(sum.A.elementType()) ? each * sum.A.numElements() : 0;
  for (unsigned i = 1; i < operands; ++i) // all but A
    step.needs.push_back({i + 1, 0});
  openipu::Plan plan;
  plan.add(std::move(step));
  return plan;
}

bool isHalfWithFloatScale(const ScaledSum &sum, const Tensor &scale) {
  return sum.A.elementType() == HALF && sum.B.elementType() == HALF && scale.elementType() == FLOAT;
}

// What a float scale is used as beside halves: rounded to half if that is near enough. Its value is
// known when the program runs only.
Tensor withinTolerance(Graph &graph, const Tensor &scale, const Options &options, Sequence &prog,
                       const DebugContext &context) {
  using namespace expr;
  const auto rounded = expr::Cast(expr::Cast(_1, HALF), FLOAT);
  const auto near =
      Abs(Sub(rounded, _1)) <= Abs(_1) * Const(float(options.scaleFloatToHalfTolerance));
  return map(graph, Select(rounded, _1, near), {scale.flatten()}, prog, context);
}

void addTo(Graph &graph, const ScaledSum &given, Sequence &prog, const DebugContext &debugContext,
           const OptionFlags &flags, const std::string &api) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 {{"A", poputil::toProfileValue(given.A)},
                                  {"B", poputil::toProfileValue(given.B)},
                                  {"options", poputil::toProfileValue(flags)}},
                                 api);
  const Options options(flags);
  const Type scale = scaleType(given, options, debugContext);
  check(given, scale, debugContext);
  if (!given.A.numElements())
    return;
  ScaledSum sum = given;
  for (Scale *s : {sum.scaleA ? &*sum.scaleA : nullptr, &sum.scaleB})
    if (s && !s->number && isHalfWithFloatScale(sum, s->tensor))
      s->tensor = withinTolerance(graph, s->tensor, options, prog, {di, "scale"});
  std::vector<Tensor> ts;
  const expr::Any expression = expressionOf(sum, scale, ts);
  const MapTree tree = buildTree(expression, ts, false, debugContext.getPathName());
  MapOperands operands{ts, {sum.A}, tree.inputs(), true};
  addMap(graph, tree, operands,
         planOf(graph, sum, scale, options.optimizeForSpeed, operands.inputs.size()), prog, {di});
}

} // namespace

void scaledAddTo(Graph &graph, Tensor A, Tensor B, float scaleB, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  addTo(graph, {A, B, {}, scaleB}, prog, debugContext, options, "scaledAddTo");
}
void scaledAddTo(Graph &graph, Tensor A, Tensor B, Tensor scaleB, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  addTo(graph, {A, B, {}, scaleB}, prog, debugContext, options, "scaledAddTo");
}
void scaledSubtractFrom(Graph &graph, Tensor A, Tensor B, float scaleB, Sequence &prog,
                        const DebugContext &debugContext, const OptionFlags &options) {
  addTo(graph, {A, B, {}, scaleB, true}, prog, debugContext, options, "scaledSubtractFrom");
}
void scaledSubtractFrom(Graph &graph, Tensor A, Tensor B, Tensor scaleB, Sequence &prog,
                        const DebugContext &debugContext, const OptionFlags &options) {
  addTo(graph, {A, B, {}, scaleB, true}, prog, debugContext, options, "scaledSubtractFrom");
}

static bool isXMinusAx(ScaledAddSpecialisation speciality) {
  return speciality == ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY;
}
void scaledAddTo(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB, Sequence &prog,
                 const ScaledAddSpecialisation speciality, const DebugContext &debugContext,
                 const OptionFlags &options) {
  addTo(graph, {A, B, Scale(scaleA), scaleB, false, isXMinusAx(speciality)}, prog, debugContext,
        options, "scaledAddTo");
}
void scaledAddTo(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  scaledAddTo(graph, A, scaleA, B, scaleB, prog, ScaledAddSpecialisation::DEFAULT, debugContext,
              options);
}
void scaledAddTo(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB, Sequence &prog,
                 const ScaledAddSpecialisation speciality, const DebugContext &debugContext,
                 const OptionFlags &options) {
  addTo(graph, {A, B, Scale(scaleA), scaleB, false, isXMinusAx(speciality)}, prog, debugContext,
        options, "scaledAddTo");
}
void scaledAddTo(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  scaledAddTo(graph, A, scaleA, B, scaleB, prog, ScaledAddSpecialisation::DEFAULT, debugContext,
              options);
}
void scaledSubtractFrom(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB,
                        Sequence &prog, const DebugContext &debugContext,
                        const OptionFlags &options) {
  addTo(graph, {A, B, Scale(scaleA), scaleB, true}, prog, debugContext, options,
        "scaledSubtractFrom");
}
void scaledSubtractFrom(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB,
                        Sequence &prog, const DebugContext &debugContext,
                        const OptionFlags &options) {
  addTo(graph, {A, B, Scale(scaleA), scaleB, true}, prog, debugContext, options,
        "scaledSubtractFrom");
}

} // namespace popops
