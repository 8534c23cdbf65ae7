// SPDX-License-Identifier: MIT
// Non-linearities: checks and plans. Softmax takes rows and is in softmax/.
#include "popnn/NonLinearity.hpp"
#include "../softmax/Softmax.hpp"
#include "base/Text.hpp"
#include "NonLinearityCost.hpp"
#include "openipu/Operation.hpp"
#include "poplin/Steps.hpp"
#include "popnn/kernels/NonLinearity.hpp"
#include "popnn/NonLinearityDefUtil.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace popnn {
namespace {

using poplar::Tensor;

bool isSoftmax(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX || type == NonLinearityType::SOFTMAX_STABLE ||
         type == NonLinearityType::SOFTMAX_SCALED;
}

float scalingOf(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX_SCALED ? softmaxScaling : 1.0f;
}

SoftmaxForm formOf(NonLinearityType type) {
  return {type != NonLinearityType::SOFTMAX, false, scalingOf(type)};
}

std::string apiName(NonLinearityType type, const char *function) {
  return base::str("popnn::", function, "(", asString(type), ")");
}

void checkType(const Tensor &t, const std::string &api) {
  if (t.elementType() != poplar::FLOAT && t.elementType() != poplar::HALF)
    throw poputil::poplibs_error(base::str(api, ": a tensor of type ", t.elementType(),
                                           " and shape ", base::list(t.shape()),
                                           "; non-linearities take FLOAT and HALF"));
}

void checkInPlace(const Tensor &t, const std::string &api) {
  checkType(t, api);
  if (!t.isParallelWriteable())
    throw poputil::poplibs_error(
        base::str(api, ": the tensor of shape ", base::list(t.shape()),
                  " cannot be written in place, for it has constant or repeated elements"));
}

openipu::Operation forward(const poplar::Graph &graph, NonLinearityType nonLinearity,
                           std::vector<openipu::Used> uses, const poplar::DebugContext &context) {
  const Tensor &at = uses[0].tensor;
  bool inPlace = uses.size() == 1;
  auto type = at.elementType();
  poplin::StepDetails details{0, nonLinearityFlops(nonLinearity, false), {}};
  if (!inPlace)
    details.needs = {{1, 0}};
  openipu::Plan plan;
  plan.add(poplin::elementStep(
      graph, at, "", nonLinearityVertex(nonLinearity, type, inPlace),
      [&](std::uint64_t n, std::uint32_t regions) {
        return nonLinearityCycles(openipu::chipOf(graph), nonLinearity, type, n, inPlace, regions);
      },
      details));
  return {kernels::nonLinearity, std::move(uses), kernels::NonLinearityOf{nonLinearity}.write(),
          std::move(plan), context};
}

openipu::Operation backward(poplar::Graph &graph, NonLinearityType nonLinearity, const Tensor &act,
                            const Tensor &outGradient, const Tensor &inGradient,
                            const poplar::DebugContext &context) {
  auto type = inGradient.elementType();
  openipu::Plan plan;
  plan.add(poplin::elementStep(graph, inGradient, "",
                               "popnn::NonLinearityGrad1D<" + type.toString() +
                                   ",popnn::NonLinearityType::" + asString(nonLinearity) + ">",
                               [&](std::uint64_t n, std::uint32_t regions) {
                                 return nonLinearityGradientCycles(openipu::chipOf(graph),
                                                                   nonLinearity, type, n, regions);
                               },
                               {0, nonLinearityFlops(nonLinearity, true), {{1, 0}, {2, 0}}}));
  return {kernels::nonLinearityGradient,
          {openipu::out(inGradient), openipu::in(act), openipu::in(outGradient)},
          kernels::NonLinearityOf{nonLinearity}.write(),
          std::move(plan),
          context};
}

Tensor makeGradient(poplar::Graph &graph, NonLinearityType nonLinearity, const Tensor &act,
                    const Tensor &outGradient, const poplar::DebugContext &context) {
  auto api = apiName(nonLinearity, "nonLinearityInputGradient");
  checkType(act, api);
  checkType(outGradient, api);
  if (act.shape() != outGradient.shape() || act.elementType() != outGradient.elementType())
    throw poputil::poplibs_error(
        base::str(api, ": activations ", act.elementType(), base::list(act.shape()),
                  " and gradients ", outGradient.elementType(), base::list(outGradient.shape()),
                  " must have one shape and type"));
  return graph.clone(outGradient, context);
}

} // namespace

void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, Tensor t,
                         float &nonLinearityScaling, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, nonLinearityType));
  auto api = apiName(nonLinearityType, "nonLinearityInPlace");
  checkInPlace(t, api);
  nonLinearityScaling = scalingOf(nonLinearityType);
  if (isSoftmax(nonLinearityType))
    return addSoftmax(graph, {openipu::inOut(t)}, formOf(nonLinearityType), prog,
                      {di, asString(nonLinearityType)}, api);
  prog.add(openipu::operation(graph, forward(graph, nonLinearityType, {openipu::inOut(t)},
                                             {di, asString(nonLinearityType)})));
}
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, Tensor t,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext) {
  float scaling;
  nonLinearityInPlace(graph, nonLinearityType, t, scaling, prog, debugContext);
}

void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, Tensor t,
                         float &nonLinearityScaling, poplar::ComputeSet &cs,
                         const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, nonLinearityType, cs));
  auto api = apiName(nonLinearityType, "nonLinearityInPlace");
  if (isSoftmax(nonLinearityType))
    throw poputil::poplibs_error(api + ": softmax takes several compute sets; give it a program");
  checkInPlace(t, api);
  nonLinearityScaling = 1;
  openipu::addOperation(
      graph, cs,
      forward(graph, nonLinearityType, {openipu::inOut(t)}, {di, asString(nonLinearityType)}));
}
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, Tensor t,
                         poplar::ComputeSet &cs, const poplar::DebugContext &debugContext) {
  float scaling;
  nonLinearityInPlace(graph, nonLinearityType, t, scaling, cs, debugContext);
}

Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType, Tensor t,
                    float &nonLinearityScaling, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, nonLinearityType));
  auto api = apiName(nonLinearityType, "nonLinearity");
  checkType(t, api);
  if (isSoftmax(nonLinearityType))
    checkSoftmax(t, api);
  nonLinearityScaling = scalingOf(nonLinearityType);
  auto out = graph.clone(t, {di, asString(nonLinearityType)});
  if (isSoftmax(nonLinearityType))
    addSoftmax(graph, {openipu::out(out), openipu::in(t)}, formOf(nonLinearityType), prog,
               {di, asString(nonLinearityType)}, api);
  else
    prog.add(openipu::operation(graph, forward(graph, nonLinearityType,
                                               {openipu::out(out), openipu::in(t)},
                                               {di, asString(nonLinearityType)})));
  di.addOutput(out);
  return out;
}
Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType, Tensor t,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  float scaling;
  return nonLinearity(graph, nonLinearityType, t, scaling, prog, debugContext);
}

Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                 Tensor act, Tensor outGradient, poplar::ComputeSet &cs,
                                 const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(act, outGradient, nonLinearityType, cs));
  if (isSoftmax(nonLinearityType))
    throw poputil::poplibs_error(apiName(nonLinearityType, "nonLinearityInputGradient") +
                                 ": softmax takes several compute sets; give it a program");
  auto out = makeGradient(graph, nonLinearityType, act, outGradient, {di, "inGradient"});
  openipu::addOperation(
      graph, cs,
      backward(graph, nonLinearityType, act, outGradient, out, {di, asString(nonLinearityType)}));
  di.addOutput(out);
  return out;
}

Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                 Tensor act, Tensor outGradient, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(act, outGradient, nonLinearityType));
  if (isSoftmax(nonLinearityType))
    checkSoftmax(act, apiName(nonLinearityType, "nonLinearityInputGradient"));
  auto out = makeGradient(graph, nonLinearityType, act, outGradient, {di, "inGradient"});
  if (isSoftmax(nonLinearityType))
    addSoftmaxGradient(graph, act, outGradient, out, prog, {di, asString(nonLinearityType)});
  else
    prog.add(openipu::operation(graph, backward(graph, nonLinearityType, act, outGradient, out,
                                                {di, asString(nonLinearityType)})));
  di.addOutput(out);
  return out;
}

} // namespace popnn
