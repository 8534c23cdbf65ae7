// SPDX-License-Identifier: MIT
// Group norm: statistics per batch element and group of channels.
#include "popnn/GroupNorm.hpp"
#include "base/Text.hpp"
#include "NormOptions.hpp"
#include "popops/ScaledAdd.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace popnn::gn {

static poplin::NormGroups groupsOf(const poplar::Tensor &acts, const poplar::Tensor &statistics,
                                   const poplar::OptionFlags &options, const char *api) {
  return groupsOfStatistics(acts, statistics, options, api);
}

#define NORM(function) groupNorm##function
#define NORMALISE groupNormalise
#define API(function) API_NAME(function)
#define API_NAME(function) "popnn::gn::" #function
#include "NormFunctions.inc"

std::pair<poplar::Tensor, poplar::Tensor>
groupNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps,
                    poplar::program::Sequence &prog, unsigned numGroups, bool unbiasedVarEstimate,
                    bool stableAlgo, const poplar::Type &partialsType,
                    const poplar::DebugContext &debugContext, const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(acts, eps, numGroups, unbiasedVarEstimate,
                                                       stableAlgo, partialsType, options));
  const char *api = "popnn::gn::groupNormStatistics";
  if (numGroups == 0)
    throw poputil::poplibs_error(base::str(api, ": no groups for activations ",
                                           base::list(acts.shape()), "; give at least one"));
  poplin::NormGroups groups{numGroups, stridedChannelGrouping(options)};
  return poplin::norms::statistics(
      graph, acts, groups, {eps, unbiasedVarEstimate, stableAlgo, partialsType}, prog, {di}, api);
}

} // namespace popnn::gn
