// SPDX-License-Identifier: MIT
// Statistics and normalisation in one operation, for callers that need no whitened activations.
// Without units it is two operations. Tiles: as those two.
#include "NormPlan.hpp"
#include "openipu/Operation.hpp"
#include "poplin/kernels/Norms.hpp"

namespace poplin::norms {

Normalised normalised(poplar::Graph &graph, const poplar::Tensor &x, NormGroups groups,
                      const NormStatisticsOptions &options, const poplar::Tensor &gamma,
                      const poplar::Tensor &beta, poplar::program::Sequence &prog,
                      const poplar::DebugContext &context, const std::string &api) {
  if (!haveUnits(x, groups)) {
    auto [mean, isd] = statistics(graph, x, groups, options, prog, context, api);
    Affine a{mean, isd, gamma, beta, true, false};
    return {affine(graph, x, groups, a, prog, context, api).first, mean, isd};
  }
  checkActs(x, groups, api);
  checkPartials(options.partials, api);
  checkVector(gamma, x.dim(1), "gamma", x, api);
  checkVector(beta, x.dim(1), "beta", x, api);
  auto y = graph.clone(x, {context, "normalised"});
  auto mean = makeStatistic(graph, x, groups, x.elementType(), {context, "mean"});
  auto isd = graph.clone(mean, {context, "invStdDev"});
  auto plan = statisticsPlan(graph, x, groups, mean, isd, options);
  plan.append(affinePlan(graph, y, groups, {mean, isd, gamma, beta, true, false}, 3));
  auto attributes = kernels::NormForwardOf{groups, options.eps, options.unbiased}.write();
  prog.add(openipu::operation(graph, {kernels::normForward,
                                      {openipu::out(y), openipu::out(mean), openipu::out(isd),
                                       openipu::in(x), openipu::in(gamma), openipu::in(beta)},
                                      std::move(attributes),
                                      std::move(plan),
                                      {context, "norm"}}));
  return {y, mean, isd};
}

} // namespace poplin::norms
