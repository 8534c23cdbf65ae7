// SPDX-License-Identifier: MIT
// Statistics and normalisation in one operation, for callers that need no whitened activations.
// Host: unit by unit (UnitNorms.hpp); without units it is two operations. Tiles: as those two.
#include "NormPlan.hpp"
#include "NormSpace.hpp"
#include "openipu/Operation.hpp"
#include "openipu/Overwrite.hpp"
#include "UnitNorms.hpp"
#include <optional>

namespace poplin::norms {
namespace {

using openipu::KernelArgs;

// Outputs: y, mean, 1 / deviation. Inputs: x, gamma, beta.
class NormaliseKernel {
public:
  explicit NormaliseKernel(const KernelArgs &args) {
    openipu::AttributeReader in(args.attributes);
    const auto groups = readGroups(in);
    const auto eps = in.get<float>();
    units_.emplace(groups, args.inputs[0], &args.outputs[0], eps, in.get<bool>());
  }
  void run(const KernelArgs &args) {
    units_->run({rows::Data(args.inputs[0]), rows::Data(args.outputs[0]),
                 rows::table(args.inputs[1], 10), rows::table(args.inputs[2], 11),
                 args.outputs[1].type == openipu::TypeId::Half});
    storeVector(args.outputs[1], units_->mean.data());
    storeVector(args.outputs[2], units_->invStdDev.data());
  }

private:
  std::optional<UnitForward> units_;
};
const openipu::Registered registered{
    openipu::stateful<NormaliseKernel>("poplin.norm.forward", openipu::alwaysGivesFloats)};
// Statistics of a unit are there before it is written.
const openipu::Overwriting inPlace{"poplin.norm.forward",
                                   [](std::string_view, std::size_t, std::size_t output,
                                      std::size_t input) { return output == 0 && input == 0; }};

} // namespace

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
  auto attributes = startingWith(groups).put(options.eps).put(options.unbiased).take();
  prog.add(openipu::operation(graph, {"poplin.norm.forward",
                                      {openipu::out(y), openipu::out(mean), openipu::out(isd),
                                       openipu::in(x), openipu::in(gamma), openipu::in(beta)},
                                      std::move(attributes),
                                      std::move(plan),
                                      {context, "norm"}}));
  return {y, mean, isd};
}

} // namespace poplin::norms
