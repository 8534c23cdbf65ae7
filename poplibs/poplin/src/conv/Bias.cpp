// SPDX-License-Identifier: MIT
// Biases of convolutions: one value per channel, added to the activations, and its gradient, the
// sum of a channel. Both are operators of popops.
#include "base/Text.hpp"
#include "poplin/Convolution.hpp"
#include "poplin/ConvPlan.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace poplin {

using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

void checkBiases(const char *function, const Tensor &activations, const Tensor &biases) {
  if (activations.rank() < 2 || biases.rank() != 1 || biases.dim(0) != activations.dim(1))
    throw poputil::poplibs_error(
        base::str("poplin::", function, ": biases of shape ", base::list(biases.shape()),
                  " for activations of shape ", base::list(activations.shape()),
                  " [batch][channels][field...]. There must be one bias per channel."));
}

std::vector<std::size_t> allButChannels(const Tensor &activations) {
  std::vector<std::size_t> dims{0};
  for (std::size_t d = 2; d < activations.rank(); ++d)
    dims.push_back(d);
  return dims;
}

void updateBiases(Graph &graph, const Tensor &zDeltas, const Tensor &biases, const Tensor &scale,
                  const OptionFlags &options, Sequence &prog, const poplar::DebugContext &context) {
  checkBiases("convolutionBiasUpdate", zDeltas, biases);
  if (scale.numElements() != 1)
    throw poputil::poplibs_error(base::str("poplin::convolutionBiasUpdate: the scale has shape ",
                                           base::list(scale.shape()), ", one element is needed."));
  auto partials = parseConvOptions(options).partialsType;
  OptionFlags reduceOptions;
  reduceOptions.set("accumType.interTile", partials == poplar::HALF ? "half" : "float");
  popops::reduceWithOutput(graph, zDeltas, biases, allButChannels(zDeltas),
                           {popops::Operation::ADD, true, scale.reshape({})}, prog, context,
                           reduceOptions);
}

} // namespace

Tensor createBiases(Graph &graph, const Tensor &activations,
                    const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(activations));
  if (activations.rank() < 2)
    throw poputil::poplibs_error(base::str("poplin::createBiases: activations of shape ",
                                           base::list(activations.shape()),
                                           " where [batch][channels][field...] is needed."));
  auto biases = graph.addVariable(activations.elementType(), {activations.dim(1)},
                                  poplar::VariableMappingMethod::LINEAR, {di, "biases"});
  di.addOutput(biases);
  return biases;
}

Tensor createBiases(Graph &graph, const Tensor &activations, const ConvParams &params,
                    const poplar::DebugContext &debugContext, const OptionFlags &options,
                    PlanningCache *) {
  parseConvOptions(options);
  if (activations.rank() < 2 || activations.dim(1) != params.getNumOutputChans())
    throw poputil::poplibs_error(base::str("poplin::createBiases: activations of shape ",
                                           base::list(activations.shape()),
                                           " are not the output of a convolution with ",
                                           params.getNumOutputChans(), " output channels."));
  return createBiases(graph, activations, debugContext);
}

void addBias(Graph &graph, const Tensor &in, const Tensor &biases, Sequence &prog,
             const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, biases));
  checkBiases("addBias", in, biases);
  if (in.numElements() == 0)
    return;
  std::vector<std::size_t> shape(in.rank(), 1);
  shape[1] = in.dim(1);
  popops::addInPlace(graph, in, biases.reshape(shape), prog, {di});
}

void convolutionBiasUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &biases,
                           const Tensor &scale, const OptionFlags &options, Sequence &prog,
                           const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(zDeltas, biases, scale, options));
  updateBiases(graph, zDeltas, biases, scale, options, prog, {di});
}

void convolutionBiasUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &biases, float scale,
                           const OptionFlags &options, Sequence &prog,
                           const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(zDeltas, biases, scale, options));
  auto constant = graph.addConstant(poplar::FLOAT, {}, scale, {di, "scale"});
  graph.setTileMapping(constant, 0);
  updateBiases(graph, zDeltas, biases, constant, options, prog, {di});
}

} // namespace poplin
