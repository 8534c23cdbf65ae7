// SPDX-License-Identifier: MIT
// Norm statistics: mean and 1 / sqrt(variance + eps) per channel, or per batch element and group.
//
// Tiles: two reductions (sum; sum of squares, of centred values if stable), then
// InverseStdDeviation where the statistics lie.
#include "NormPlan.hpp"
#include "openipu/Operation.hpp"
#include "poplin/kernels/Norms.hpp"
#include "poplin/Steps.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/DebugInfo.hpp"
#include <cmath>
#include <optional>

namespace poplin::norms {
namespace {

using Settings = kernels::NormStatisticsOf;
using Want = kernels::NormWant;
using popops::expr::BinaryOpType;

openipu::Plan reduceTo(const poplar::Graph &graph, const poplar::Tensor &acts, NormGroups groups,
                       const poplar::Tensor &out, popops::Operation op, const char *name,
                       const poplar::Type &partials, unsigned alike = 1) {
  auto r = reducible(acts, groups, Key::Statistic);
  popops::cost::ReduceTypes types;
  types.alike = alike;
  types.interTile = types.inVertex = partials;
  types.scale = true;
  return popops::cost::reducePlan(graph, r.view, out.reshape(r.kept), r.dims, op, name, types);
}

openipu::Superstep invStdDevStep(const poplar::Graph &graph, const poplar::Tensor &isd,
                                 bool stable) {
  auto type = isd.elementType();
  const auto &chip = openipu::chipOf(graph);
  auto vertex = "poplin::InverseStdDeviation<" + type.toString() + "," + type.toString() + "," +
                type.toString() + "," + (stable ? "true" : "false") + ">";
  return elementStep(graph, isd, "InvStdDev", vertex,
                     [&](std::uint64_t n, std::uint32_t regions) {
                       return popops::cost::broadcastScalarCycles(
                           chip, BinaryOpType::VARIANCE_TO_INV_STD_DEV, type, n, false, regions);
                     },
                     {0, 2, {}});
}

} // namespace

poplar::Tensor makeStatistic(poplar::Graph &graph, const poplar::Tensor &acts, NormGroups groups,
                             const poplar::Type &type, const poplar::DebugContext &context) {
  auto r = reducible(acts, groups, Key::Statistic);
  return popops::cost::createReduceOutput(graph, r.view, type, r.dims, context).flatten();
}

openipu::Plan statisticsPlan(const poplar::Graph &graph, const poplar::Tensor &acts,
                             NormGroups groups, const poplar::Tensor &mean,
                             const poplar::Tensor &isd, const NormStatisticsOptions &options) {
  openipu::Plan plan;
  if (options.stable) {
    plan = reduceTo(graph, acts, groups, mean, popops::Operation::ADD, "Mean", options.partials);
    plan.add(broadcastStep(graph, acts, groups, Key::Statistic, BinaryOpType::SUBTRACT, "Centre",
                           mean, true));
    plan.append(reduceTo(graph, acts, groups, isd, popops::Operation::SQUARE_ADD, "Power",
                         options.partials));
  } else { // both at once
    plan = reduceTo(graph, acts, groups, isd, popops::Operation::SQUARE_ADD, "MeanAndPower",
                    options.partials, 2);
  }
  plan.add(invStdDevStep(graph, isd, options.stable));
  return plan;
}

std::pair<poplar::Tensor, poplar::Tensor>
statistics(poplar::Graph &graph, const poplar::Tensor &acts, NormGroups groups,
           const NormStatisticsOptions &options, poplar::program::Sequence &prog,
           const poplar::DebugContext &context, const std::string &api) {
  checkActs(acts, groups, api);
  checkPartials(options.partials, api);
  auto mean = makeStatistic(graph, acts, groups, acts.elementType(), {context, "mean"});
  auto isd = graph.clone(mean, {context, "invStdDev"});
  Settings settings{groups, Want::InvStdDev, options.eps, 1, options.unbiased};
  prog.add(openipu::operation(graph, {kernels::normStatistics,
                                      {openipu::out(mean), openipu::out(isd), openipu::in(acts)},
                                      settings.write(),
                                      statisticsPlan(graph, acts, groups, mean, isd, options),
                                      {context, "normStatistics"}}));
  return {mean, isd};
}

// Each replica gives its share of the sums; the callback adds them.
std::pair<poplar::Tensor, poplar::Tensor>
statistics(poplar::Graph &graph, const poplar::Tensor &acts, const Distributed &distributed,
           const NormStatisticsOptions &options, poplar::program::Sequence &prog,
           const poplar::DebugContext &context, const std::string &api) {
  checkActs(acts, {}, api);
  checkPartials(options.partials, api);
  const unsigned replicas = replicasOf(distributed, acts, api);
  auto partials = options.partials;
  auto share = [&](Want want, std::vector<poplar::Tensor> outs, const poplar::Tensor &about) {
    std::vector<openipu::Used> uses;
    openipu::Plan plan;
    for (const auto &t : outs) {
      uses.push_back(openipu::out(t));
      bool square = want == Want::CentredPower || uses.size() == 2;
      plan.append(reduceTo(graph, acts, {}, t,
                           square ? popops::Operation::SQUARE_ADD : popops::Operation::ADD,
                           square ? "Power" : "Mean", partials));
    }
    uses.push_back(openipu::in(acts));
    if (about.valid())
      uses.push_back(openipu::in(about));
    Settings settings{{}, want, options.eps, 1.0f / float(replicas), false};
    prog.add(openipu::operation(graph, {kernels::normStatistics,
                                        uses,
                                        settings.write(),
                                        std::move(plan),
                                        {context, "normStatistics"}}));
    return distributed.reduce(graph, outs, prog, replicas, {context, "reduce"}, {});
  };
  auto make = [&](const char *name) {
    return makeStatistic(graph, acts, {}, partials, {context, name});
  };
  std::vector<poplar::Tensor> sums;
  if (options.stable) {
    sums = share(Want::Mean, {make("mean")}, {});
    sums.push_back(share(Want::CentredPower, {make("power")}, sums[0]).at(0));
  } else {
    sums = share(Want::Power, {make("mean"), make("power")}, {});
  }
  auto mean = makeStatistic(graph, acts, {}, acts.elementType(), {context, "mean"});
  auto isd = graph.clone(mean, {context, "invStdDev"});
  double n = double(acts.numElements()) / double(std::max<std::size_t>(1, acts.dim(1))) * replicas;
  const kernels::NormInvStdDevOf attributes{
      options.eps, options.unbiased && n > 1 ? n / (n - 1) : 1.0, options.stable};
  openipu::Plan plan;
  plan.add(invStdDevStep(graph, isd, options.stable));
  prog.add(openipu::operation(graph, {kernels::normInvStdDev,
                                      {openipu::out(mean), openipu::out(isd),
                                       openipu::in(sums.at(0)), openipu::in(sums.at(1))},
                                      attributes.write(),
                                      std::move(plan),
                                      {context, "invStdDev"}}));
  return {mean, isd};
}

} // namespace poplin::norms
