// SPDX-License-Identifier: MIT
// Products inside other operators' plans.
#include "poplin/ProductPlan.hpp"
#include "matmul/MatMulOptions.hpp"

namespace poplin {

ConvOptions productOptions(const poplar::OptionFlags &matMulOptions) {
  return parseConvOptions(convFlags(matMulOptions));
}

openipu::Plan productPlan(const poplar::Target &target, const ProductShape &s,
                          const ConvOptions &options, PlanningCache *cache, const std::string &name,
                          std::size_t repeats) {
  if (!s.groups || !s.m || !s.k || !s.n || !repeats)
    return {};
  const auto params =
      convParams(s.inputType, s.outputType, {s.groups, s.m, s.k}, {s.groups, s.k, s.n});
  auto plan = supersteps(target, params, options, planConvolution(target, params, options, cache));
  for (auto &step : plan.steps) {
    step.name = name + "/" + step.name;
    step.repeats *= std::uint32_t(repeats);
  }
  return plan;
}

openipu::Superstep onTiles(std::string name, std::string vertex, unsigned tiles,
                           openipu::TileWork work, std::size_t repeats) {
  openipu::Superstep step;
  step.name = std::move(name);
  step.vertex = std::move(vertex);
  step.repeats = std::uint32_t(repeats);
  work.tile = 0;
  work.count = tiles;
  step.tiles.push_back(work);
  return step;
}

} // namespace poplin
