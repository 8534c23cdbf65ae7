// SPDX-License-Identifier: MIT
// The public norms of poplin: per channel, over all other dimensions.
#include "poplin/Norms.hpp"
#include "base/Text.hpp"
#include "poplin/NormOperations.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"

namespace poplin {

using poplar::Tensor;

static Tensor createParam(poplar::Graph &graph, const Tensor &acts, const poplar::Type &type,
                          const poplar::DebugContext &context, const char *api) {
  norms::checkActs(acts, {}, api);
  return poputil::createBroadcastOperand(graph, acts, type, 1, false, context);
}

Tensor createNormGamma(poplar::Graph &graph, const Tensor &acts, const poplar::Type &type,
                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(acts, type));
  auto gamma = createParam(graph, acts, type, {di, "gamma"}, "poplin::createNormGamma");
  di.addOutput(gamma);
  return gamma;
}
Tensor createNormGamma(poplar::Graph &graph, const Tensor &acts,
                       const poplar::DebugContext &debugContext) {
  return createNormGamma(graph, acts, acts.elementType(), debugContext);
}
Tensor createNormBeta(poplar::Graph &graph, const Tensor &acts, const poplar::Type &type,
                      const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(acts, type));
  auto beta = createParam(graph, acts, type, {di, "beta"}, "poplin::createNormBeta");
  di.addOutput(beta);
  return beta;
}
Tensor createNormBeta(poplar::Graph &graph, const Tensor &acts,
                      const poplar::DebugContext &debugContext) {
  return createNormBeta(graph, acts, acts.elementType(), debugContext);
}
std::pair<Tensor, Tensor> createNormParams(poplar::Graph &graph, const Tensor &acts,
                                           const poplar::DebugContext &debugContext) {
  auto gamma = createNormGamma(graph, acts, debugContext);
  return {gamma, createNormBeta(graph, acts, debugContext)};
}

std::pair<Tensor, Tensor> normStatistics(poplar::Graph &graph, const Tensor &acts, float eps,
                                         poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                                         bool stableAlgo, const poplar::Type &partialsType,
                                         const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(acts, eps, unbiasedVarEstimate, stableAlgo, partialsType));
  return norms::statistics(graph, acts, NormGroups{},
                           {eps, unbiasedVarEstimate, stableAlgo, partialsType}, prog, {di},
                           "poplin::normStatistics");
}

std::pair<Tensor, Tensor> distributedNormStatistics(
    poplar::Graph &replicatedGraph, const Tensor &acts, float eps, poplar::program::Sequence &prog,
    bool unbiasedVarEstimate, DistributedNormReduceCallback reduceCallback, unsigned normSize,
    bool stableAlgo, const poplar::Type &partialsType, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(acts, eps, unbiasedVarEstimate, normSize, stableAlgo, partialsType));
  return norms::statistics(replicatedGraph, acts,
                           norms::Distributed{std::move(reduceCallback), normSize},
                           {eps, unbiasedVarEstimate, stableAlgo, partialsType}, prog, {di},
                           "poplin::distributedNormStatistics");
}

Tensor normWhiten(poplar::Graph &graph, const Tensor &acts, const Tensor &mean,
                  const Tensor &invStdDev, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(acts, mean, invStdDev));
  norms::Affine affine{mean, invStdDev, {}, {}, false, true};
  return norms::affine(graph, acts, {}, affine, prog, {di}, "poplin::normWhiten").second;
}

Tensor normalise(poplar::Graph &graph, const Tensor &actsWhitened, const Tensor &gamma,
                 const Tensor &beta, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(actsWhitened, gamma, beta));
  norms::Affine affine{{}, {}, gamma, beta, true, false};
  return norms::affine(graph, actsWhitened, {}, affine, prog, {di}, "poplin::normalise").first;
}

std::pair<Tensor, Tensor> normParamGradients(poplar::Graph &graph, const Tensor &actsWhitened,
                                             const Tensor &gradsIn, poplar::program::Sequence &prog,
                                             const poplar::Type &partialsType,
                                             const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(actsWhitened, gradsIn, partialsType));
  return norms::paramGradients(graph, actsWhitened, gradsIn, {}, {}, {}, partialsType, prog, {di},
                               "poplin::normParamGradients");
}

Tensor normGradients(poplar::Graph &graph, const Tensor &gradsIn, const Tensor &gamma,
                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(gradsIn, gamma));
  norms::Affine affine{{}, {}, gamma, {}, true, false};
  return norms::affine(graph, gradsIn, {}, affine, prog, {di}, "poplin::normGradients").first;
}

Tensor normStatisticsGradients(poplar::Graph &graph, const Tensor &actsWhitened,
                               const Tensor &gradsIn, const Tensor &invStdDev,
                               poplar::program::Sequence &prog, const poplar::Type &partialsType,
                               const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(actsWhitened, gradsIn, invStdDev, partialsType));
  return norms::gradients(graph, actsWhitened, gradsIn, {}, invStdDev, {}, NormGroups{},
                          partialsType, prog, {di}, "poplin::normStatisticsGradients");
}

Tensor distributedNormStatisticsGradients(poplar::Graph &replicatedGraph,
                                          const Tensor &actsWhitened, const Tensor &gradsIn,
                                          const Tensor &invStdDev, poplar::program::Sequence &prog,
                                          DistributedNormReduceCallback reduceCallback,
                                          unsigned normSize, const poplar::Type &partialsType,
                                          const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(actsWhitened, gradsIn, invStdDev, normSize, partialsType));
  return norms::gradients(replicatedGraph, actsWhitened, gradsIn, {}, invStdDev, {},
                          norms::Distributed{std::move(reduceCallback), normSize}, partialsType,
                          prog, {di}, "poplin::distributedNormStatisticsGradients");
}

} // namespace poplin
