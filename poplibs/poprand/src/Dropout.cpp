// SPDX-License-Identifier: MIT
// Dropout: y = x * scale where a random bit of probability keepProbability says so, else 0.
// host: kernels/Dropout.cpp.
// device: one Dropout vertex on every tile that holds part of the output.
#include "poprand/kernels/Dropout.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "Draw.hpp"
#include "openipu/Chip.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poprand/RandomGen.hpp"
#include "poputil/Broadcast.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/VertexTemplates.hpp"
#include <cmath>
#include <vector>

namespace poprand {

using kernels::Keep;
using poplar::Tensor;
using poputil::poplibs_error;

namespace {

void check(const char *call, const Tensor *seed, const Tensor &input, double keepProbability) {
  checkSeed(call, seed);
  checkProbability(call, "keepProbability", keepProbability);
  if (input.elementType() != poplar::FLOAT && input.elementType() != poplar::HALF)
    throw poplibs_error(base::str(call, ": the input is of type ", input.elementType(),
                                  "; it must be float or half."));
}

Keep keepOf(const Tensor *seed, std::uint32_t modifier, double probability, double scale) {
  return {seed != nullptr, modifier, std::uint64_t(std::llround(probability * 0x1p32)), scale};
}

openipu::Superstep dropoutStep(const poplar::Graph &graph, const Tensor &out) {
  const auto &chip = openipu::chipOf(graph);
  const unsigned width = graph.getTarget().getVectorWidth(out.elementType());
  auto step = poputil::whereItLies(graph, out, "dropout",
                                   poputil::templateVertex("poprand::Dropout", out.elementType()),
                                   [&](std::uint64_t n, std::uint32_t) {
                                     return 6 + chip.onWorkers(24) + 2 * base::ceilDiv(n, width);
                                   });
  step.needs.push_back({1, 0});
  step.flops = out.numElements();
  return step;
}

} // namespace

Tensor dropout(poplar::Graph &graph, const Tensor *seed, const std::uint32_t seedModifier,
               const Tensor &input, const Tensor &reference, double keepProbability, double scale,
               bool outputClonesRef, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext) {
  check("dropout", seed, input, keepProbability);
  if (input.shape() != reference.shape())
    throw poplibs_error(base::str("dropout: the input has shape ", base::list(input.shape()),
                                  " and the reference ", base::list(reference.shape()),
                                  "; they must be equal (shapedDropout broadcasts)."));
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(seed, seedModifier, input, reference,
                                                       keepProbability, scale, outputClonesRef));
  const Tensor out =
      graph.clone(input.elementType(), outputClonesRef ? reference : input, {di, "out"});
  const auto order = drawingOrder(reference);
  std::vector<openipu::Used> uses{openipu::out(out.dimShuffle(order)),
                                  openipu::in(input.dimShuffle(order))};
  if (seed)
    uses.push_back(openipu::in(*seed));
  const Keep keep = keepOf(seed, seedModifier, keepProbability, scale);
  prog.add(openipu::operation(graph, {kernels::dropout,
                                      std::move(uses),
                                      keep.write(),
                                      seededPlan(graph, seed, dropoutStep(graph, out)),
                                      {di, "dropout"}}));
  di.addOutput(out);
  return out;
}

Tensor dropout(poplar::Graph &graph, const Tensor *seed, const std::uint32_t seedModifier,
               const Tensor &input, const Tensor &reference, double keepProbability, double scale,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  return dropout(graph, seed, seedModifier, input, reference, keepProbability, scale, true, prog,
                 debugContext);
}

Tensor shapedDropout(poplar::Graph &graph, const Tensor *seed, const std::uint32_t seedModifier,
                     const Tensor &input, const Tensor &reference, double keepProbability,
                     double scale, poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext) {
  check("shapedDropout", seed, input, keepProbability);
  Tensor spread = reference;
  poputil::broadcastToMatch(spread, input.shape()); // throws if it does not fit
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(seed, seedModifier, input, reference, keepProbability, scale));
  const Tensor out = graph.clone(input, {di, "out"});
  std::vector<std::size_t> mask = reference.shape();
  mask.insert(mask.begin(), input.rank() - mask.size(), 1);
  // Decisions are made where the reference lies, sent to the input, and multiplied there.
  const auto type = input.elementType();
  const auto &chip = openipu::chipOf(graph);
  const unsigned width = graph.getTarget().getVectorWidth(type);
  auto decide = poputil::whereItLies(graph, reference, "mask",
                                     poputil::templateVertex("poprand::Bernoulli", type),
                                     [&](std::uint64_t n, std::uint32_t) {
                                       return 4 + chip.onWorkers(23) + base::ceilDiv(n, width);
                                     });
  auto multiply = poputil::whereItLies(
      graph, out, "multiply", "popops::BinaryOp1D", [&](std::uint64_t n, std::uint32_t regions) {
        return popops::cost::binaryCycles(chip, popops::expr::BinaryOpType::MULTIPLY, type, n,
                                          false, regions);
      });
  multiply.needs.push_back({1, 0});
  multiply.flops = out.numElements();
  // A tile takes no more decisions than it has elements.
  const std::size_t bytes = graph.getTarget().getTypeSize(type);
  for (const auto &[tile, elements, regions] : openipu::elementsByTile(graph, out))
    for (auto &work : multiply.tiles)
      if (work.tile <= tile && tile < work.tile + work.count)
        work.bytesIn = std::max(work.bytesIn,
                                bytes * std::min<std::uint64_t>(reference.numElements(), elements));
  for (const auto &[tile, elements, regions] : openipu::elementsByTile(graph, reference))
    for (auto &work : decide.tiles)
      if (work.tile <= tile && tile < work.tile + work.count)
        work.tempBytes = std::max(work.tempBytes, bytes * elements);
  auto plan = seededPlan(graph, seed, std::move(decide));
  plan.add(std::move(multiply));
  std::vector<openipu::Used> uses{openipu::out(out), openipu::in(input)};
  if (seed)
    uses.push_back(openipu::in(*seed));
  const Keep keep = keepOf(seed, seedModifier, keepProbability, scale);
  prog.add(openipu::operation(graph, {kernels::shapedDropout,
                                      std::move(uses),
                                      kernels::ShapedKeep{keep, mask}.write(),
                                      std::move(plan),
                                      {di, "shapedDropout"}}));
  di.addOutput(out);
  return out;
}

} // namespace poprand
