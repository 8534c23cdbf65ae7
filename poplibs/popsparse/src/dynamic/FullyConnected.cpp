// SPDX-License-Identifier: MIT
// Fully connected layers: y = x W^T forward, dx = dy W, and dW at the non-zero weights. Activations
// are stored with the batch innermost, which is what the arithmetic runs along.
#include "popsparse/FullyConnected.hpp"
#include "base/Text.hpp"
#include "dynamic/Planned.hpp"
#include "popsparse/kernels/Dynamic.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <cmath>

namespace popsparse {
namespace dynamic {

using poplar::Tensor;

SparseTensor createFullyConnectedWeights(poplar::Graph &graph, const poplar::Type &inputType,
                                         const FullyConnectedParams &params,
                                         const poplar::DebugContext &debugContext,
                                         const poplar::OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(inputType, options));
  const auto plan = planned(graph.getTarget(), problemOf(params, inputType), options, cache);
  return createSparse(graph, plan, {}, {di});
}

Tensor createFullyConnectedInput(poplar::Graph &graph, const poplar::Type &inputType,
                                 const FullyConnectedParams &params,
                                 const poplar::DebugContext &debugContext,
                                 const poplar::OptionFlags &options, PlanningCache *) {
  parseDynamicOptions(options); // refuses what the layer would refuse
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(inputType, options));
  return createDense(graph, inputType, params.getInputChannelsPerGroup(), params.getBatchSize(),
                     {di, "input"})
      .transpose();
}

namespace {

Tensor product(const char *call, poplar::Graph &graph, const SparseTensor &weights,
               const Tensor &in, const FullyConnectedParams &params, bool transposed,
               poplar::program::Sequence &prog, const poplar::DebugContext &context,
               const poplar::OptionFlags &options, PlanningCache *cache) {
  const poplar::Type type = weights.getNzValuesTensor().elementType();
  const auto plan = planned(graph.getTarget(), problemOf(params, type), options, cache);
  checkSparse(call, plan, weights);
  const std::size_t ins = params.getInputChannelsPerGroup(),
                    outs = params.getOutputChannelsPerGroup(), batch = params.getBatchSize();
  checkDense(call, "dense operand", in, type, {batch, transposed ? outs : ins});
  const Tensor y = createDense(graph, type, transposed ? ins : outs, batch, {context, "out"});
  addMultiply(graph, plan, weights, in.transpose(), y, transposed, prog, context);
  return y.transpose();
}

} // namespace

Tensor fullyConnectedFwd(poplar::Graph &graph, const SparseTensor &weights,
                         const Tensor &activations, const FullyConnectedParams &fcParams,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(activations, options));
  return product("fullyConnectedFwd", graph, weights, activations, fcParams, false, prog,
                 {di, "fullyConnectedFwd"}, options, cache);
}

Tensor fullyConnectedGradA(poplar::Graph &graph, const SparseTensor &weights,
                           const Tensor &gradients, const FullyConnectedParams &fcParams,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(gradients, options));
  return product("fullyConnectedGradA", graph, weights, gradients, fcParams, true, prog,
                 {di, "fullyConnectedGradA"}, options, cache);
}

Tensor fullyConnectedSparseGradW(poplar::Graph &graph, const Tensor sparsityMetaInfo,
                                 const Tensor &gradA, const Tensor &activations,
                                 const FullyConnectedParams &fcParams,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext,
                                 const poplar::OptionFlags &options, PlanningCache *cache) {
  const poplar::Type type = activations.elementType();
  const auto plan = planned(graph.getTarget(), problemOf(fcParams, type), options, cache);
  checkMeta("fullyConnectedSparseGradW", plan, sparsityMetaInfo);
  checkDense("fullyConnectedSparseGradW", "gradient", gradA, type,
             {fcParams.getBatchSize(), fcParams.getOutputChannelsPerGroup()});
  checkDense("fullyConnectedSparseGradW", "activations", activations, type,
             {fcParams.getBatchSize(), fcParams.getInputChannelsPerGroup()});
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(gradA, activations, options));
  const kernels::GradWOf attributes{plan.layout, plan.options.partialsType == poplar::HALF,
                                    plan.metaBegin(Pass::GradW)};
  const std::size_t size = plan.layout.bucketBlocks * plan.layout.area();
  const Tensor out = graph.addVariable(type, {plan.layout.values()}, {di, "nzGradient"});
  for (unsigned b = 0; b < plan.layout.buckets; ++b)
    graph.setTileMapping(out.slice(b * size, (b + 1) * size), b);
  prog.add(openipu::operation(
      graph, {kernels::dynamicGradW,
              {openipu::out(out), openipu::in(gradA.transpose()),
               openipu::in(activations.transpose()), openipu::in(sparsityMetaInfo)},
              attributes.write(),
              supersteps(graph.getTarget(), plan.problem, SparseKind::Dynamic, plan.options,
                         plan.plan, Pass::GradW),
              {di, "fullyConnectedSparseGradW"}}));
  return out;
}

std::tuple<unsigned, unsigned, unsigned>
fullyConnectedDenseGradWSerialSplits(const poplar::Graph &graph, const poplar::Type &inputType,
                                     const FullyConnectedParams &fcParams,
                                     const poplar::OptionFlags &options, PlanningCache *) {
  const auto parsed = parseDynamicOptions(options);
  const auto &target = graph.getTarget();
  const double bytes =
      double(fcParams.getInputChannelsPerGroup()) * double(fcParams.getOutputChannelsPerGroup()) *
      double(target.getTypeSize(parsed.partialsType) + target.getTypeSize(inputType));
  const double room = parsed.availableMemoryProportion * double(target.getMemoryBytes());
  const double most = double(fcParams.getOutputChannelsPerGroup());
  const double splits = room > 0 ? std::ceil(bytes / room) : most;
  return {1u, 1u, unsigned(std::clamp(splits, 1.0, std::max(1.0, most)))};
}

} // namespace dynamic
} // namespace popsparse
