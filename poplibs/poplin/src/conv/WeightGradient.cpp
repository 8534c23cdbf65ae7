// SPDX-License-Identifier: MIT
// Gradient of a convolution's weights. Device: the convolution of inputs and gradients that
// getWeightUpdateParams describes.
#include "base/Text.hpp"
#include "conv/Operands.hpp"
#include "matmul/Quarter.hpp"
#include "openipu/Operation.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/VertexTemplates.hpp"

namespace poplin {

using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;

openipu::Superstep conv::updateStep(const Graph &graph, const Tensor &weights) {
  auto type = weights.elementType();
  const auto &chip = openipu::chipOf(graph);
  return poputil::whereItLies(
      graph, weights, "AddScaled",
      poputil::templateVertex("popops::ScaledAddSupervisor", type, type, type, false),
      [&](std::uint64_t elements, std::uint32_t regions) {
        return popops::cost::scaledAddCycles(chip, type, type, type, elements,
                                             popops::cost::ScaledAdd::APlusbB, false, regions);
      });
}

void conv::checkScale(const char *function, const Update &update) {
  if (update.tensor && update.tensor->numElements() != 1)
    throw poputil::poplibs_error(base::str("poplin::", function, ": the scale has shape ",
                                           base::list(update.tensor->shape()),
                                           ", one element is needed."));
  if (update.tensor && update.tensor->elementType() != poplar::FLOAT &&
      update.tensor->elementType() != poplar::HALF)
    throw poputil::poplibs_error(base::str("poplin::", function, ": the scale is ",
                                           update.tensor->elementType(),
                                           "; it must be float or half."));
}

void conv::checkWeightGradient(const char *function, const Tensor &zDeltas, const Tensor &acts,
                               const ConvParams &fwd) {
  conv::checkTypes(function, fwd);
  fwd.validate();
  conv::checkInput(function, acts, fwd);
  if (zDeltas.elementType() != fwd.inputType && zDeltas.elementType() != fwd.outputType)
    throw poputil::poplibs_error(base::str(
        "poplin::", function, ": the output gradients are ", zDeltas.elementType(),
        ", but the parameters have ", fwd.inputType, " inputs and ", fwd.outputType, " outputs."));
  conv::checkOutput(function, "output gradients", zDeltas, zDeltas.elementType(), fwd);
}

conv::Planned conv::plannedWeightGradient(const char *function, const poplar::Target &target,
                                          const ConvParams &fwd, const OptionFlags &flags,
                                          PlanningCache *cache) {
  auto options = parseConvOptions(flags);
  if (options.pass == Pass::TRAINING_FWD || options.pass == Pass::TRAINING_BWD)
    options.pass = Pass::TRAINING_WU;
  if (options.pass == Pass::FC_TRAINING_FWD || options.pass == Pass::FC_TRAINING_BWD)
    options.pass = Pass::FC_TRAINING_WU;
  return Planned(function, target, getWeightUpdateParams(fwd), options, cache);
}

// Placed like the weights.
Tensor conv::makeDeltas(Graph &graph, const ConvParams &fwd, const OptionFlags &options,
                        PlanningCache *cache, const poplar::DebugContext &context) {
  Planned planned("calculateWeightDeltas", graph.getTarget(), fwd, options, cache);
  planned.params.inputType = getWeightUpdateParams(fwd).outputType;
  return planned.makeWeights(graph, context);
}

void conv::addWeightGradient(Graph &graph, const Tensor &zDeltas, const Tensor &acts,
                             const Tensor &deltas, const ConvParams &fwd, Update update,
                             openipu::Plan plan, Sequence &prog,
                             const poplar::DebugContext &context) {
  if (deltas.numElements() == 0)
    return;
  const kernels::WeightGradientOf attributes{update.accumulate, update.tensor != nullptr,
                                             update.nearest, update.scale, geometryOf(fwd)};
  auto to = withField(deltas, fwd);
  std::vector<openipu::Used> uses{update.accumulate ? openipu::inOut(to) : openipu::out(to),
                                  openipu::in(withField(zDeltas, fwd)),
                                  openipu::in(withField(acts, fwd))};
  if (update.tensor)
    uses.push_back(openipu::in(update.tensor->flatten()));
  const auto kernel = quarterUses(graph, kernels::weightGradient, uses, plan);
  prog.add(openipu::operation(graph, {kernel, uses, attributes.write(), std::move(plan), context}));
}

Tensor calculateWeightDeltas(Graph &graph, const Tensor &zDeltas, const Tensor &activations,
                             const ConvParams &fwdParams, Sequence &prog,
                             const poplar::DebugContext &debugContext, const OptionFlags &options,
                             PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(zDeltas, activations, fwdParams, options));
  const char *name = "calculateWeightDeltas";
  conv::checkWeightGradient(name, zDeltas, activations, fwdParams);
  auto planned = conv::plannedWeightGradient(name, graph.getTarget(), fwdParams, options, cache);
  auto deltas = conv::makeDeltas(graph, fwdParams, options, cache, {di, "deltas"});
  conv::Update update;
  update.nearest = roundsToNearest(planned.options, planned.plan);
  conv::addWeightGradient(graph, zDeltas, activations, deltas, fwdParams, update,
                          planned.steps(graph.getTarget()), prog, {di});
  di.addOutput(deltas);
  return deltas;
}

namespace {

void updateWeights(const char *name, Graph &graph, const Tensor &zDeltas, const Tensor &weights,
                   const Tensor &activations, const ConvParams &params, conv::Update update,
                   Sequence &prog, const poplar::DebugContext &context, const OptionFlags &options,
                   PlanningCache *cache) {
  conv::checkWeightGradient(name, zDeltas, activations, params);
  conv::checkWeights(name, weights, params);
  conv::checkScale(name, update);
  auto planned = conv::plannedWeightGradient(name, graph.getTarget(), params, options, cache);
  auto plan = planned.steps(graph.getTarget());
  update.nearest = roundsToNearest(planned.options, planned.plan);
  if (!planned.empty)
    plan.add(conv::updateStep(graph, weights));
  conv::addWeightGradient(graph, zDeltas, activations, weights, params, update, std::move(plan),
                          prog, context);
}

} // namespace

void convolutionWeightUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &weights,
                             const Tensor &activations, ConvParams params, const Tensor &scale,
                             Sequence &prog, const poplar::DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(zDeltas, weights, activations, params, scale, options));
  updateWeights("convolutionWeightUpdate", graph, zDeltas, weights, activations, params,
                {true, 1, &scale}, prog, {di}, options, cache);
}

void convolutionWeightUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &weights,
                             const Tensor &activations, ConvParams params, float scale,
                             Sequence &prog, const poplar::DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(zDeltas, weights, activations, params, scale, options));
  updateWeights("convolutionWeightUpdate", graph, zDeltas, weights, activations, params,
                {true, scale, nullptr}, prog, {di}, options, cache);
}

} // namespace poplin
