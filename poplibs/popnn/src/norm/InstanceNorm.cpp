// SPDX-License-Identifier: MIT
// Instance norm: statistics per batch element and channel.
#include "popnn/InstanceNorm.hpp"
#include "base/Text.hpp"
#include "NormOptions.hpp"
#include "popops/ScaledAdd.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace popnn::in {

static poplin::NormGroups groupsOf(const poplar::Tensor &acts, const poplar::Tensor &statistics,
                                   const poplar::OptionFlags &options, const char *api) {
  auto groups = groupsOfStatistics(acts, statistics, options, api);
  if (statistics.valid() && groups.count != acts.dim(1))
    throw poputil::poplibs_error(
        base::str(api, ": statistics of shape ", base::list(statistics.shape()),
                  " are not [batch * channels] for activations ", base::list(acts.shape())));
  return groups;
}

#define NORM(function) instanceNorm##function
#define NORMALISE instanceNormalise
#define API(function) API_NAME(function)
#define API_NAME(function) "popnn::in::" #function
#include "NormFunctions.inc"

std::pair<poplar::Tensor, poplar::Tensor>
instanceNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps,
                       poplar::program::Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo,
                       const poplar::Type &partialsType, const poplar::DebugContext &debugContext,
                       const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(acts, eps, unbiasedVarEstimate, stableAlgo, partialsType, options));
  const char *api = "popnn::in::instanceNormStatistics";
  poplin::norms::checkActs(acts, {}, api);
  poplin::NormGroups groups{std::uint32_t(acts.dim(1)), stridedChannelGrouping(options)};
  return poplin::norms::statistics(
      graph, acts, groups, {eps, unbiasedVarEstimate, stableAlgo, partialsType}, prog, {di}, api);
}

} // namespace popnn::in
