// SPDX-License-Identifier: MIT
// Convolution. Device: what the planner found.
#include "poplin/Convolution.hpp"
#include "base/Text.hpp"
#include "conv/Operands.hpp"
#include "matmul/Quarter.hpp"
#include "openipu/Operation.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace poplin {

using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;

// As reports call it: Conv_3x3.
static std::string nameOf(const ConvParams &params) {
  std::string out = "Conv";
  for (auto extent : params.kernelShape)
    out += base::str(out == "Conv" ? "_" : "x", extent);
  return out;
}

void conv::addConvolution(Graph &graph, const Tensor &in, const Tensor &weights, const Tensor &out,
                          const ConvParams &params, openipu::Plan plan, Sequence &prog,
                          const poplar::DebugContext &context, bool nearest, const Extras &extras) {
  if (out.numElements() == 0)
    return;
  const kernels::ConvolutionOf attributes{geometryOf(params), extras.activation, nearest};
  std::vector<openipu::Used> uses{openipu::out(withField(out, params)),
                                  openipu::in(withField(in, params)),
                                  openipu::in(withField(weights, params))};
  extras.addTo(plan, graph, out, unsigned(uses.size()), params.getNumOutputChans());
  for (const auto &t : extras.tensors)
    uses.push_back(openipu::in(withField(t, params)));
  const auto kernel = quarterUses(graph, kernels::convolution, uses, plan);
  prog.add(openipu::operation(
      graph,
      {kernel, std::move(uses), attributes.write(), std::move(plan), {context, nameOf(params)}}));
}

namespace {

void convolve(const char *function, Graph &graph, const Tensor &in, const Tensor &weights,
              const Tensor &out, const conv::Planned &planned, bool transposeAndFlip,
              Sequence &prog, const poplar::DebugContext &context, const Extras &extras = {}) {
  auto plan = planned.steps(graph.getTarget());
  if (transposeAndFlip && !planned.empty)
    plan.steps.insert(plan.steps.begin(), conv::transposeStep(graph, weights));
  auto oriented = transposeAndFlip ? conv::transposedAndFlipped(weights) : weights;
  conv::checkWeights(function, oriented, planned.params);
  conv::addConvolution(graph, in, oriented, out, planned.params, std::move(plan), prog, context,
                       roundsToNearest(planned.options, planned.plan), extras);
}

void checkRank(const char *function, const Tensor &weights, const ConvParams &params) {
  if (weights.rank() != params.getNumFieldDims() + 3)
    throw poputil::poplibs_error(
        base::str("poplin::", function, ": weights of shape ", base::list(weights.shape()),
                  " where ", params.getNumFieldDims() + 3,
                  " dimensions [groups][out channels][in channels][kernel...] are needed."));
}

} // namespace

Tensor createInput(Graph &graph, const ConvParams &params, const poplar::DebugContext &debugContext,
                   const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(params, options));
  conv::Planned planned("createInput", graph.getTarget(), params, options, cache);
  auto t = planned.makeInput(graph, conv::storageFor(graph.getTarget(), params), {di, "input"});
  di.addOutput(t);
  return t;
}

Tensor createWeights(Graph &graph, const ConvParams &params,
                     const poplar::DebugContext &debugContext, const OptionFlags &options,
                     PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(params, options));
  conv::Planned planned("createWeights", graph.getTarget(), params, options, cache);
  auto t = planned.makeWeights(graph, {di, "weights"});
  di.addOutput(t);
  return t;
}

Tensor createConvOutput(Graph &graph, const ConvParams &params,
                        const poplar::DebugContext &debugContext, const OptionFlags &options,
                        PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(params, options));
  conv::Planned planned("createConvOutput", graph.getTarget(), params, options, cache);
  auto t = planned.makeOutput(graph, conv::storageFor(graph.getTarget(), params), {di, "output"});
  di.addOutput(t);
  return t;
}

Tensor convolution(Graph &graph, const Tensor &in, const Tensor &weights, const ConvParams &params,
                   bool transposeAndFlipWeights, Sequence &prog,
                   const poplar::DebugContext &debugContext, const OptionFlags &options,
                   PlanningCache *cache) {
  return openipu::convolution(graph, in, weights, params, transposeAndFlipWeights, {}, prog,
                              debugContext, options, cache);
}

void convolutionWithOutput(Graph &graph, const Tensor &in, const Tensor &weights, const Tensor &out,
                           const ConvParams &params, bool transposeAndFlipWeights, Sequence &prog,
                           const poplar::DebugContext &debugContext, const OptionFlags &options,
                           PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(in, weights, out, params, transposeAndFlipWeights, options));
  conv::Planned planned("convolutionWithOutput", graph.getTarget(), params, options, cache);
  conv::checkInput("convolutionWithOutput", in, params);
  checkRank("convolutionWithOutput", weights, params);
  conv::checkOutput("convolutionWithOutput", "outputs", out, params.outputType, params);
  convolve("convolutionWithOutput", graph, in, weights, out, planned, transposeAndFlipWeights, prog,
           {di});
}

void weightsTransposeChansFlipXY(Graph &, const Tensor &weightsIn, const Tensor &weightsOut,
                                 Sequence &prog, const poplar::DebugContext &debugContext,
                                 const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(weightsIn, weightsOut, options));
  parseConvOptions(options);
  if (weightsIn.rank() < 3 || conv::transposedAndFlipped(weightsIn).shape() != weightsOut.shape())
    throw poputil::poplibs_error(
        base::str("poplin::weightsTransposeChansFlipXY: weights of shape ",
                  base::list(weightsIn.shape()), " do not become ", base::list(weightsOut.shape()),
                  ": the output must be [groups][in channels][out channels][kernel...]."));
  prog.add(poplar::program::Copy(conv::transposedAndFlipped(weightsIn), weightsOut, false, {di}));
}

Tensor fullyConnectedWeightTranspose(Graph &graph, Tensor weights, const ConvParams &params,
                                     Sequence &prog, const poplar::DebugContext &debugContext,
                                     const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(weights, params, options));
  checkRank("fullyConnectedWeightTranspose", weights, params);
  auto swapped = weights.dimShufflePartial({1, 2}, {2, 1});
  conv::Planned planned("fullyConnectedWeightTranspose", graph.getTarget(), params, options, cache);
  conv::checkWeights("fullyConnectedWeightTranspose", swapped, params);
  auto out = planned.makeWeights(graph, {di, "transposed"});
  prog.add(poplar::program::Copy(swapped, out, false, {di}));
  di.addOutput(out);
  return out;
}

} // namespace poplin

poplar::Tensor openipu::convolution(poplar::Graph &graph, const poplar::Tensor &in,
                                    const poplar::Tensor &weights, const poplin::ConvParams &params,
                                    bool transposeAndFlipWeights, const Epilogue &epilogue,
                                    poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options,
                                    poplin::PlanningCache *cache) {
  using namespace poplin;
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(in, weights, params, transposeAndFlipWeights, options));
  conv::Planned planned("convolution", graph.getTarget(), params, options, cache);
  conv::checkInput("convolution", in, params);
  checkRank("convolution", weights, params);
  auto out =
      planned.makeOutput(graph, conv::storageFor(graph.getTarget(), params, in), {di, "out"});
  std::vector<std::size_t> channels(out.rank(), 1);
  channels[1] = out.dim(1);
  convolve("convolution", graph, in, weights, out, planned, transposeAndFlipWeights, prog, {di},
           extrasOf("convolution", epilogue, out, channels));
  di.addOutput(out);
  return out;
}
