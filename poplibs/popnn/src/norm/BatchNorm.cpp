// SPDX-License-Identifier: MIT
// Batch norm: statistics per channel.
#include "popnn/BatchNorm.hpp"
#include "base/Text.hpp"
#include "NormOptions.hpp"
#include "popops/ScaledAdd.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace popnn::bn {

static poplin::NormGroups groupsOf(const poplar::Tensor &, const poplar::Tensor &,
                                   const poplar::OptionFlags &options, const char *) {
  checkNormOptions(options);
  return {};
}

#define NORM(function) batchNorm##function
#define NORMALISE batchNormalise
#define API(function) API_NAME(function)
#define API_NAME(function) "popnn::bn::" #function
#include "NormFunctions.inc"

std::pair<poplar::Tensor, poplar::Tensor>
batchNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps,
                    poplar::program::Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo,
                    const poplar::Type &partialsType, const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(acts, eps, unbiasedVarEstimate, stableAlgo, partialsType, options));
  checkNormOptions(options);
  return poplin::norms::statistics(graph, acts, poplin::NormGroups{},
                                   {eps, unbiasedVarEstimate, stableAlgo, partialsType}, prog, {di},
                                   "popnn::bn::batchNormStatistics");
}

poplar::Tensor batchNormalise(poplar::Graph &graph, const poplar::Tensor &acts,
                              const poplar::Tensor &combinedMultiplicand,
                              const poplar::Tensor &addend, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext,
                              const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(acts, combinedMultiplicand, addend, options));
  checkNormOptions(options);
  const char *api = "popnn::bn::batchNormalise";
  requireOperands(api, {{"combinedMultiplicand", combinedMultiplicand}, {"addend", addend}});
  poplin::norms::Affine affine{{}, {}, combinedMultiplicand, addend, true, false};
  return poplin::norms::affine(graph, acts, {}, affine, prog, {di}, api).first;
}

std::pair<poplar::Tensor, poplar::Tensor> distributedBatchNormStatistics(
    poplar::Graph &replicatedGraph, const poplar::Tensor acts, float eps,
    poplar::program::Sequence &prog, bool unbiasedVarEstimate,
    poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize, bool stableAlgo,
    const poplar::Type &partialsType, const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(acts, eps, unbiasedVarEstimate,
                                                       normBatchSize, stableAlgo, partialsType));
  checkNormOptions(options);
  return poplin::norms::statistics(
      replicatedGraph, acts, poplin::norms::Distributed{std::move(reduceCallback), normBatchSize},
      {eps, unbiasedVarEstimate, stableAlgo, partialsType}, prog, {di},
      "popnn::bn::distributedBatchNormStatistics");
}

poplar::Tensor distributedBatchNormGradients(
    poplar::Graph &replicatedGraph, const poplar::Tensor &actsWhitened,
    const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev, const poplar::Tensor &gamma,
    poplar::program::Sequence &prog, poplin::DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, const poplar::Type &partialsType,
    const poplar::DebugContext &debugContext, const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(actsWhitened, gradsIn, invStdDev, gamma, normBatchSize, partialsType));
  checkNormOptions(options);
  const char *api = "popnn::bn::distributedBatchNormGradients";
  requireOperands(api, {{"gamma", gamma}});
  return poplin::norms::gradients(
      replicatedGraph, actsWhitened, gradsIn, {}, invStdDev, gamma,
      poplin::norms::Distributed{std::move(reduceCallback), normBatchSize}, partialsType, prog,
      {di}, api);
}

poplar::Tensor distributedBatchNormGradients(
    poplar::Graph &replicatedGraph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
    const poplar::Tensor &mean, const poplar::Tensor &invStdDev, const poplar::Tensor &gamma,
    poplar::program::Sequence &prog, poplin::DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, const poplar::Type &partialsType,
    const poplar::DebugContext &debugContext, const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(acts, gradsIn, mean, invStdDev, gamma, normBatchSize, partialsType));
  checkNormOptions(options);
  const char *api = "popnn::bn::distributedBatchNormGradients";
  requireOperands(api, {{"mean", mean}, {"gamma", gamma}});
  return poplin::norms::gradients(
      replicatedGraph, acts, gradsIn, mean, invStdDev, gamma,
      poplin::norms::Distributed{std::move(reduceCallback), normBatchSize}, partialsType, prog,
      {di}, api);
}

} // namespace popnn::bn
