// SPDX-License-Identifier: MIT
// What convolutions would take: floating-point operations, the least possible time, the plan.
#include "conv/Operands.hpp"
#include "poplin/Convolution.hpp"
#include <map>
#include <ostream>

namespace poplin {

using poplar::Graph;
using poplar::OptionFlags;

namespace {

// Pairs of input and kernel elements that meet for some output.
std::uint64_t products(const ConvParams &params) {
  const auto g = conv::geometryOf(params);
  std::uint64_t count = g.batch * g.groups * g.in * g.out;
  for (const auto &dim : g.dims) {
    std::uint64_t meetings = 0;
    for (std::int64_t o = 0; o < dim.output; ++o)
      for (std::int64_t k = 0; k < dim.kernel; ++k)
        meetings += dim.inputIndex(o, k) >= 0;
    count *= meetings;
  }
  return count;
}

// Every unit multiplies all the values that it loads in a cycle.
double perfectCycles(const Graph &graph, const ConvParams &params) {
  const auto &target = graph.getTarget();
  auto units = target.getNumConvUnits(params.inputType, params.inputType);
  auto load = target.getConvUnitInputLoadElemsPerCycle(params.inputType);
  return double(products(params)) / (double(units) * load * target.getNumTiles());
}

void printPlan(const char *function, std::ostream &out, const Graph &graph,
               const ConvParams &params, const ConvOptions &options, PlanningCache *cache) {
  conv::Planned planned(function, graph.getTarget(), params, options, cache);
  if (planned.empty)
    out << "  no plan: a dimension is 0, so there is nothing to compute\n";
  else
    print(out, params, planned.plan);
}

} // namespace

std::uint64_t getFwdFlops(const ConvParams &params) { return 2 * products(params); }
std::uint64_t getBwdFlops(const ConvParams &params) { return 2 * products(params); }
std::uint64_t getWuFlops(const ConvParams &params) { return 2 * products(params); }
double getFwdPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return perfectCycles(graph, params);
}
double getBwdPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return perfectCycles(graph, params);
}
double getWuPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return perfectCycles(graph, params);
}

void reportPlanInfo(std::ostream &out, const Graph &graph, const ConvParams &params,
                    const OptionFlags &options, PlanningCache *cache) {
  printPlan("reportPlanInfo", out, graph, params, parseConvOptions(options), cache);
}

void reportWeightUpdatePlanInfo(std::ostream &out, const Graph &graph, const ConvParams &fwdParams,
                                const OptionFlags &fwdOptions, PlanningCache *cache) {
  auto planned = conv::plannedWeightGradient("reportWeightUpdatePlanInfo", graph.getTarget(),
                                             fwdParams, fwdOptions, cache);
  printPlan("reportWeightUpdatePlanInfo", out, graph, planned.params, planned.options, cache);
}

PlanCosts reportPlanEstimatedCosts(const Graph &graph, const ConvParams &params,
                                   const OptionFlags &options, PlanningCache *cache) {
  conv::Planned planned("reportPlanEstimatedCosts", graph.getTarget(), params, options, cache);
  PlanCosts costs;
  costs.cycles = planned.empty ? 0 : planned.plan.cycles;
  costs.memory = planned.empty ? 0 : planned.plan.tempBytes;
  return costs;
}

std::ostream &operator<<(std::ostream &out, const PlanCosts &costs) {
  const auto print = [&](std::size_t number, const char *unit) {
    if (number == PlanCosts::unknown)
      out << "unknown" << unit;
    else
      out << number << unit;
  };
  print(costs.cycles, " cycles, ");
  print(costs.memory, " bytes");
  return out;
}

std::ostream &internal::operator<<(std::ostream &out, const DetailedPlanCosts &costs) {
  out << "parallel split " << costs.parallelSplit << ", serial split " << costs.serialSplit << '\n';
  const char *const names[] = {"broadcast",      "rearrangement",     "dynamic slice",
                               "transform",      "exchange",          "tile level transform",
                               "cast of inputs", "compute",           "reduction",
                               "dynamic update", "addition in place", "cast of the output",
                               "total"};
  const auto *name = names;
  costs.apply([&](const PlanCosts &part) { out << *name++ << ": " << part << '\n'; });
  return out;
}

internal::DetailedPlanCosts reportDetailedPlanEstimatedCosts(const Graph &graph,
                                                             const ConvParams &params,
                                                             const OptionFlags &options,
                                                             PlanningCache *cache) {
  using Costs = internal::DetailedPlanCosts;
  conv::Planned planned("reportDetailedPlanEstimatedCosts", graph.getTarget(), params, options,
                        cache);
  static const std::map<std::string, PlanCosts Costs::*> members{
      {"BroadcastInput", &Costs::broadcast},
      {"RegroupWeights", &Costs::rearrangement},
      {"DynamicSlice", &Costs::dynamicSlice},
      {"PreArrange", &Costs::transform},
      {"Convolve", &Costs::compute},
      {"CastPartials", &Costs::inputsCast},
      {"Reduce", &Costs::reduction},
      {"Cast", &Costs::outputCast},
      {"GatherOutput", &Costs::tileLevelTransform},
      {"AddInPlace", &Costs::addInPlace},
      {"DynamicUpdate", &Costs::dynamicUpdate}};
  Costs costs;
  for (const auto &[name, member] : members)
    (costs.*member).cycles = (costs.*member).memory = 0;
  costs.exchange.cycles = costs.exchange.memory = 0;
  costs.total.cycles = costs.total.memory = 0;
  if (planned.empty)
    return costs;
  for (const auto &part : costsByPart(graph.getTarget(), params, planned.options, planned.plan)) {
    auto found = members.find(part.name);
    auto &to = found == members.end() ? costs.exchange : costs.*(found->second);
    to.cycles += part.cycles * part.repeats;
    to.memory = std::max<std::size_t>(to.memory, part.tempBytes);
  }
  costs.serialSplit = planned.plan.serialSplits();
  costs.parallelSplit = planned.plan.tilesUsed();
  costs.total.cycles = planned.plan.cycles;
  costs.total.memory = planned.plan.tempBytes;
  return costs;
}

void preplanConvolutions(const std::set<ConvPlanParams> &convs, PlanningCache &cache) {
  for (const auto &[target, params, options] : convs)
    conv::Planned("preplanConvolutions", *target, params, options ? *options : OptionFlags{},
                  &cache);
}

void preplanConvolutions(Graph &, const std::set<ConvPlanParams> &convs, PlanningCache &cache) {
  preplanConvolutions(convs, cache);
}

void convolutionValidateOptions(const OptionFlags &options) { parseConvOptions(options); }

} // namespace poplin
