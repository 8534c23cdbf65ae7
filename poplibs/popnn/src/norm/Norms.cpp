// SPDX-License-Identifier: MIT
// What all norms share.
#include "popnn/Norms.hpp"
#include "base/Text.hpp"
#include "NormOptions.hpp"
#include "poplin/Norms.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"

namespace popnn {

bool stridedChannelGrouping(const poplar::OptionFlags &options) {
  bool strided = false;
  const poplibs::OptionSpec spec{
      {"groupNormStridedChannelGrouping", poplibs::OptionHandler::createWithBool(strided)}};
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  return strided;
}

poplin::NormGroups groupsOfStatistics(const poplar::Tensor &acts, const poplar::Tensor &statistics,
                                      const poplar::OptionFlags &options, const char *api) {
  bool strided = stridedChannelGrouping(options);
  if (!statistics.valid()) // sums per channel: any grouping
    return {1, strided};
  poplin::norms::checkActs(acts, {}, api);
  auto batch = acts.dim(0);
  if (statistics.rank() != 1 || batch == 0 || statistics.dim(0) == 0 ||
      statistics.dim(0) % batch != 0)
    throw poputil::poplibs_error(
        base::str(api, ": statistics of shape ", base::list(statistics.shape()),
                  " are not [batch * groups] for activations ", base::list(acts.shape())));
  return {std::uint32_t(statistics.dim(0) / batch), strided};
}

void requireOperands(const char *api, std::initializer_list<NormOperand> operands) {
  for (const auto &one : operands)
    if (!one.tensor.valid())
      throw poputil::poplibs_error(base::str(api, ": ", one.name,
                                             " is a tensor without a variable. Give one value per "
                                             "channel or statistic."));
}

poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts,
                               const poplar::DebugContext &debugContext) {
  return poplin::createNormGamma(graph, acts, debugContext);
}
poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts,
                              const poplar::DebugContext &debugContext) {
  return poplin::createNormBeta(graph, acts, debugContext);
}
std::pair<poplar::Tensor, poplar::Tensor>
createNormParams(poplar::Graph &graph, const poplar::Tensor &acts,
                 const poplar::DebugContext &debugContext) {
  return poplin::createNormParams(graph, acts, debugContext);
}

// Per element: sum, square and sum; subtract, multiply, multiply, add. Per statistic: two scalings,
// square, subtract, add, square root, inverse.
std::uint64_t getNormFwdFlops(std::size_t statisticsSize, std::size_t numActsElements,
                              bool computeStats) {
  std::uint64_t flops = 4 * std::uint64_t(numActsElements);
  if (computeStats)
    flops += 3 * std::uint64_t(numActsElements) + 7 * std::uint64_t(statisticsSize);
  return flops;
}
// Per element: times gamma, product and two sums, three multiply-adds and a scaling.
std::uint64_t getNormBwdFlops(std::size_t statisticsSize, std::size_t numActsElements) {
  return 8 * std::uint64_t(numActsElements) + 2 * std::uint64_t(statisticsSize);
}
// Per element: a product and two sums.
std::uint64_t getNormWuFlops(std::size_t paramsSize, std::size_t numActsElements) {
  return 3 * std::uint64_t(numActsElements) + 2 * std::uint64_t(paramsSize);
}

} // namespace popnn
