// SPDX-License-Identifier: MIT
// Gradient of a convolution's weights. Host: every kernel position sums products of inputs and
// output gradients that meet there. Device: the convolution of inputs and gradients that
// getWeightUpdateParams describes.
#include "base/Half.hpp"
#include "base/Text.hpp"
#include "conv/Channels.hpp"
#include "conv/Depthwise.hpp"
#include "conv/Images.hpp"
#include "conv/Operands.hpp"
#include "matmul/Quarter.hpp"
#include "openipu/Operation.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/VertexTemplates.hpp"
#include <memory>

namespace poplin {

using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

struct Attributes {
  bool accumulate = false, scaleIsTensor = false;
  bool nearest = false, unused = false; // nearest: disableSRForAMPVertices
  float scale = 1;
};

struct WeightGradientKernel {
  Attributes attributes;
  std::unique_ptr<conv::ImagesWeightGradient> images;
  std::unique_ptr<conv::DepthwiseWeightGradient> depthwise;
  std::unique_ptr<conv::ChannelsWeightGradient> channels;

  explicit WeightGradientKernel(const openipu::KernelArgs &args) {
    openipu::AttributeReader reader(args.attributes);
    attributes = reader.get<Attributes>();
    conv::Geometry g(reader);
    conv::checkOperand(args.inputs[0], conv::outputShape(g));
    conv::checkOperand(args.inputs[1], conv::inputShape(g));
    conv::checkOperand(args.outputs[0], conv::weightShape(g));
    if (conv::ImagesWeightGradient::possible(g, args))
      images = std::make_unique<conv::ImagesWeightGradient>(g, args);
    else if (conv::isDepthwise(g))
      depthwise = std::make_unique<conv::DepthwiseWeightGradient>(g, args);
    else
      channels = std::make_unique<conv::ChannelsWeightGradient>(g, args);
  }
  float scale(const openipu::KernelArgs &args) const {
    if (!attributes.scaleIsTensor)
      return attributes.scale;
    const auto &t = args.inputs[2];
    return t.type == poplar::TypeId::Half ? base::halfToFloat(*t.as<const std::uint16_t>())
                                          : *t.as<const float>();
  }
  void run(const openipu::KernelArgs &args) {
    float alpha = scale(args), beta = attributes.accumulate ? 1 : 0;
    images      ? images->run(args, alpha, beta)
    : depthwise ? depthwise->run(args, alpha, beta)
                : channels->run(args, alpha, beta);
  }
};

bool givesFloats(std::string_view attributes) {
  return !openipu::AttributeReader(attributes).get<Attributes>().nearest;
}
const openipu::Registered registered{
    openipu::stateful<WeightGradientKernel>("poplin.weightGradient", givesFloats)};
const openipu::Registered registeredQuarter{openipu::stateful<OfQuarters<WeightGradientKernel>>(
    "poplin.weightGradient.quarter", givesFloats)};

} // namespace

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
  openipu::AttributeWriter writer;
  writer.put(
      Attributes{update.accumulate, update.tensor != nullptr, update.nearest, false, update.scale});
  Geometry(fwd).put(writer);
  auto to = withField(deltas, fwd);
  std::vector<openipu::Used> uses{update.accumulate ? openipu::inOut(to) : openipu::out(to),
                                  openipu::in(withField(zDeltas, fwd)),
                                  openipu::in(withField(acts, fwd))};
  if (update.tensor)
    uses.push_back(openipu::in(update.tensor->flatten()));
  const auto kernel = quarterUses(graph, "poplin.weightGradient", uses, plan);
  prog.add(openipu::operation(graph, {kernel, uses, writer.take(), std::move(plan), context}));
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
