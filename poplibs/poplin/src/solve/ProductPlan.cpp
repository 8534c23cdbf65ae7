// SPDX-License-Identifier: MIT
// Products inside other operators' plans.
#include "poplin/ProductPlan.hpp"
#include "poputil/OptionParsing.hpp"

namespace poplin {

ConvOptions productOptions(const poplar::OptionFlags &matMulOptions) {
  static const std::map<std::string, std::string> passes{{"NONE", "NONE_MATMUL"},
                                                         {"INFERENCE_FWD", "FC_INFERENCE_FWD"},
                                                         {"TRAINING_FWD", "FC_TRAINING_FWD"},
                                                         {"TRAINING_BWD", "FC_TRAINING_BWD"},
                                                         {"TRAINING_WU", "FC_TRAINING_WU"}};
  poplar::OptionFlags rest;
  std::string pass = "NONE_MATMUL";
  bool arranged = false, gather = false;
  const poplibs::OptionSpec own{
      {"fullyConnectedPass", poplibs::OptionHandler::createWithEnum(pass, passes)},
      {"inputRHSIsPreArranged", poplibs::OptionHandler::createWithBool(arranged)},
      {"gatherOutput", poplibs::OptionHandler::createWithBool(gather)}};
  for (const auto &[name, value] : matMulOptions)
    if (name == "fullyConnectedPass" || name == "inputRHSIsPreArranged" || name == "gatherOutput")
      own.parse(name, value);
    else
      rest.set(name, value);
  rest.set("pass", pass);
  rest.set("gatherConvOutput", gather ? "true" : "false");
  return parseConvOptions(rest);
}

openipu::Plan productPlan(const poplar::Target &target, const ProductShape &s,
                          const ConvOptions &options, PlanningCache *cache, const std::string &name,
                          std::size_t repeats) {
  if (!s.groups || !s.m || !s.k || !s.n || !repeats)
    return {};
  const ConvParams params(s.inputType, s.outputType, s.m, {1}, {1}, s.k, s.n, s.groups);
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
