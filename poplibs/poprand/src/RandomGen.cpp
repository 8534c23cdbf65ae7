// SPDX-License-Identifier: MIT
// Tensors of random numbers: uniform, log-uniform, normal, truncated normal, Bernoulli.
// host: kernels/Generate.cpp.   device: one vertex on every tile that holds part of the
// output, at the rate of one 64-bit vector per so many cycles; tiles are seeded before, if there is
// a seed.
#include "poprand/RandomGen.hpp"
#include "base/Arithmetic.hpp"
#include "base/Half.hpp"
#include "base/Text.hpp"
#include "Draw.hpp"
#include "openipu/Chip.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poprand/kernels/Generate.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/VertexTemplates.hpp"
#include <algorithm>
#include <cmath>
#include <functional>

namespace poprand {

using kernels::Draw;
using kernels::Kind;
using poplar::Tensor;
using poplar::Type;
using poputil::poplibs_error;

namespace {

struct Call {
  const char *name;
  poplar::Graph &graph;
  const Tensor *seed;
  std::uint32_t modifier;
  const Tensor &reference;
  Type type;
};

void checkCall(const Call &call, std::initializer_list<Type> types) {
  checkSeed(call.name, call.seed);
  if (!call.reference.valid())
    throw poplibs_error(base::str(call.name, ": the reference tensor is not initialised."));
  if (std::find(types.begin(), types.end(), call.type) == types.end()) {
    std::vector<std::string> names;
    for (const Type &type : types)
      names.push_back(type.toString());
    throw poplibs_error(base::str(call.name, ": output type ", call.type,
                                  " is not supported; choose one of ", base::list(names, ", "),
                                  "."));
  }
}

// The representable value nearest to x that is not below (above) it.
double representable(const Type &type, double x, bool above) {
  if (type == poplar::INT)
    return x;
  const float wrong = above ? -INFINITY : INFINITY, away = -wrong;
  float value = float(x);
  if (above ? value < x : value > x)
    value = std::nextafter(value, away);
  if (type == poplar::FLOAT)
    return value;
  std::uint16_t half = base::floatToHalf(value);
  const double rounded = base::halfToFloat(half);
  if (above ? rounded < value : rounded > value) { // one step: bit patterns of a sign are in order
    if ((half & 0x7fff) == 0)
      half = above ? 0x0001 : 0x8001;
    else
      half = std::uint16_t(half + (((half & 0x8000) != 0) == above ? -1 : 1));
  }
  return base::halfToFloat(half);
}

// Checks min and max of a call and sets the bounds of the draw.
void setBounds(const Call &call, double minVal, double maxVal, Draw &draw) {
  const auto &target = call.graph.getTarget();
  const auto fail = [&](const char *why) {
    throw poplibs_error(base::str(call.name, ": minimum ", minVal, " and maximum ", maxVal,
                                  " of type ", call.type, " are not valid: ", why, "."));
  };
  if (!(minVal <= maxVal))
    fail("the minimum must not be above the maximum");
  const double lowest = target.getTypeLimitsLowestAs<double>(call.type),
               highest = target.getTypeLimitsMaxAs<double>(call.type);
  if (minVal < lowest || maxVal > highest)
    fail("they must be in the range of the type");
  if (call.type == poplar::INT && (minVal != std::floor(minVal) || maxVal != std::floor(maxVal)))
    fail("bounds of integers must be integers");
  draw.low = representable(call.type, minVal, true);
  draw.high = representable(call.type, maxVal, false);
  if (draw.low > draw.high)
    fail("no value of the type lies between them");
}

// The vertex on a tile: supervisor cycles, bundles of each worker before and after its loop, and
// tile cycles for each vector of elements.
struct Rate {
  const char *vertex;
  unsigned supervisor, bundles, perVector;
};

openipu::Superstep vertexStep(const Call &call, const Tensor &out, const Rate &rate) {
  const unsigned width = call.graph.getTarget().getVectorWidth(call.type);
  const auto once = rate.supervisor + openipu::chipOf(call.graph).onWorkers(rate.bundles);
  return poputil::whereItLies(call.graph, out, call.name,
                              poputil::templateVertex(rate.vertex, call.type),
                              [&](std::uint64_t n, std::uint32_t) {
                                return once + rate.perVector * base::ceilDiv(n, width);
                              });
}

// `next`: a step behind the generator's, on the finished output.
Tensor generate(const Call &call, Draw draw, const Rate &rate, poplar::program::Sequence &prog,
                const poplar::DebugContext &context,
                const std::function<openipu::Superstep(const Tensor &)> &next = {}) {
  const Tensor out = call.graph.clone(call.type, call.reference, {context, "out"});
  draw.seeded = call.seed != nullptr;
  draw.modifier = call.modifier;
  auto plan = seededPlan(call.graph, call.seed, vertexStep(call, out, rate));
  if (next)
    plan.add(next(out));
  std::vector<openipu::Used> uses{openipu::out(out.dimShuffle(drawingOrder(call.reference)))};
  if (call.seed)
    uses.push_back(openipu::in(*call.seed));
  prog.add(openipu::operation(
      call.graph, {kernels::generate, std::move(uses), draw.write(), std::move(plan), context}));
  return out;
}

bool isHalf(const Type &type) { return type == poplar::HALF; }

} // namespace

Tensor uniform(poplar::Graph &graph, const Tensor *seed, std::uint32_t seedModifier,
               const Tensor &reference, const Type &outType, double minVal, double maxVal,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  const Call call{"uniform", graph, seed, seedModifier, reference, outType};
  checkCall(call, {poplar::FLOAT, poplar::HALF, poplar::INT});
  Draw draw{outType == poplar::INT ? Kind::UniformInt : Kind::Uniform};
  setBounds(call, minVal, maxVal, draw);
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(seed, seedModifier, reference, outType, minVal, maxVal));
  draw.centre = minVal / 2 + maxVal / 2;
  draw.spread = maxVal / 2 - minVal / 2;
  draw.first = std::int64_t(minVal);
  draw.choices = std::uint64_t(maxVal - minVal) + 1;
  const bool allIntegers = draw.choices == std::uint64_t(1) << 32;
  const Rate rate = outType == poplar::INT
                        ? Rate{"poprand::Uniform", 4, 22, allIntegers ? 1u : 6u}
                        : Rate{"poprand::Uniform", 4, isHalf(outType) ? 24u : 22u, 4};
  return generate(call, draw, rate, prog, {di, "uniform"});
}

Tensor logUniform(poplar::Graph &graph, const Tensor *seed, std::uint32_t seedModifier,
                  const Tensor &reference, const Type &outType, double minVal, double maxVal,
                  poplar::program::Sequence &prog, double base,
                  const poplar::DebugContext &debugContext) {
  const Call call{"logUniform", graph, seed, seedModifier, reference, outType};
  checkCall(call, {poplar::FLOAT, poplar::HALF, poplar::INT});
  if (!(minVal >= 1) || !(maxVal > minVal))
    throw poplibs_error(base::str("logUniform: minimum ", minVal, " and maximum ", maxVal,
                                  " are not valid: the minimum must be at least 1 and the maximum "
                                  "above it."));
  if (!(base > 0) || base == 1 || std::isinf(base))
    throw poplibs_error(base::str("logUniform: ", base,
                                  " is not the base of a logarithm: it must be above 0, finite, "
                                  "and not 1."));
  const bool integers = outType == poplar::INT;
  Draw draw{integers ? Kind::LogUniformInt : Kind::LogUniform};
  setBounds(call, minVal, maxVal, draw);
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(seed, seedModifier, reference, outType, minVal, maxVal, base));
  // base^u with u between log_base(min) and log_base(max) is e^(u ln base): any base gives the same
  // distribution. An integer k stands for [k, k + 1).
  const double low = std::log(minVal), high = std::log(maxVal + (integers ? 1 : 0));
  draw.centre = (low + high) / 2;
  draw.spread = (high - low) / 2;
  const Rate rate{"poprand::Uniform", 4, isHalf(outType) ? 24u : 22u, 4};
  const Type through = isHalf(outType) ? poplar::HALF : poplar::FLOAT;
  const auto &chip = openipu::chipOf(graph);
  return generate(call, draw, rate, prog, {di, "logUniform"}, [&](const Tensor &out) {
    return poputil::whereItLies(graph, out, "exponent", "popops::UnaryOp1DInPlace",
                                [&](std::uint64_t n, std::uint32_t regions) {
                                  return popops::cost::unaryCycles(
                                      chip, popops::expr::UnaryOpType::EXPONENT, through, n, true,
                                      regions);
                                });
  });
}

Tensor bernoulli(poplar::Graph &graph, const Tensor *seed, std::uint32_t seedModifier,
                 const Tensor &reference, const Type &outType, double prob,
                 poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  const Call call{"bernoulli", graph, seed, seedModifier, reference, outType};
  checkCall(call, {poplar::FLOAT, poplar::HALF, poplar::INT});
  checkProbability("bernoulli", "the probability", prob);
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(seed, seedModifier, reference, outType, prob));
  Draw draw{outType == poplar::INT ? Kind::BernoulliInt : Kind::Bernoulli};
  draw.choices = std::uint64_t(std::llround(prob * 0x1p32));
  const Rate rate{"poprand::Bernoulli", 4, isHalf(outType) ? 21u : 23u, 1};
  return generate(call, draw, rate, prog, {di, "bernoulli"});
}

namespace {

void checkDeviation(const char *call, double stdDev) {
  if (!(stdDev >= 0))
    throw poplibs_error(
        base::str(call, ": the standard deviation is ", stdDev, "; it must not be negative."));
}

} // namespace

Tensor normal(poplar::Graph &graph, const Tensor *seed, std::uint32_t seedModifier,
              const Tensor &reference, const Type &outType, double mean, double stdDev,
              poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  const Call call{"normal", graph, seed, seedModifier, reference, outType};
  checkCall(call, {poplar::FLOAT, poplar::HALF});
  checkDeviation("normal", stdDev);
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(seed, seedModifier, reference, outType, mean, stdDev));
  Draw draw{Kind::Normal};
  draw.centre = mean;
  draw.spread = stdDev;
  const Rate rate{"poprand::Normal", 4, isHalf(outType) ? 24u : 22u, 4};
  return generate(call, draw, rate, prog, {di, "normal"});
}

Tensor truncatedNormal(poplar::Graph &graph, const Tensor *seed, std::uint32_t seedModifier,
                       const Tensor &reference, const Type &outType, double mean, double stdDev,
                       double alpha, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext) {
  const Call call{"truncatedNormal", graph, seed, seedModifier, reference, outType};
  checkCall(call, {poplar::FLOAT, poplar::HALF});
  checkDeviation("truncatedNormal", stdDev);
  if (!(alpha > 0))
    throw poplibs_error(base::str("truncatedNormal: alpha is ", alpha, "; it must be above 0."));
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(seed, seedModifier, reference, outType, mean, stdDev, alpha));
  Draw draw{Kind::Truncated};
  draw.centre = mean;
  draw.spread = stdDev;
  draw.low = representable(outType, mean - alpha * stdDev, true);
  draw.high = representable(outType, mean + alpha * stdDev, false);
  draw.limit = std::erf(alpha / M_SQRT2);
  // The vertex draws again what falls outside, until one in 10^4 would be left.
  const double outside = std::erfc(alpha / M_SQRT2);
  const auto iterations =
      unsigned(std::max(1.0, std::ceil(-4 / std::log10(std::max(outside, 1e-300)))));
  const bool half = isHalf(outType);
  const Rate rate{"poprand::TruncatedNormal", 4, half ? 28u : 26u,
                  (half ? 12u : 11u) * iterations + 5};
  return generate(call, draw, rate, prog, {di, "truncatedNormal"});
}

} // namespace poprand
