// SPDX-License-Identifier: MIT
// Norms backwards. With w = (x - mean) * isd and averages over all elements that share a statistic:
//   d gamma = sum(g * w), d beta = sum(g)                                        per channel
//   dx = isd * (gamma * g - average(gamma * g) - w * average(gamma * g * w))
// Tiles: products, two reductions, broadcasts.
#include "base/Text.hpp"
#include "Checks.hpp"
#include "NormPlan.hpp"
#include "openipu/Operation.hpp"
#include "poplin/kernels/Norms.hpp"
#include "popops/Cast.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/exceptions.hpp"

namespace poplin::norms {
namespace {

using Settings = kernels::NormGradientOf;
using popops::expr::BinaryOpType;

enum class Needs { Nothing, Deviation }; // of activations that are whitened
void check(const poplar::Tensor &x, const poplar::Tensor &grads, const poplar::Tensor &mean,
           const poplar::Tensor &isd, const poplar::Tensor &gamma, NormGroups groups,
           const poplar::Type &partials, const std::string &api, Needs needs) {
  checkActs(x, groups, api);
  if (grads.shape() != x.shape())
    throw poputil::poplibs_error(base::str(api, ": gradients of shape ", base::list(grads.shape()),
                                           " for activations ", base::list(x.shape()),
                                           "; the shapes must be equal"));
  checkActs(grads, groups, api);
  checkPartials(partials, api);
  checkVector(mean, numStatistics(x, groups), "mean", x, api);
  checkVector(isd, numStatistics(x, groups), "inverse standard deviation", x, api);
  checkVector(gamma, x.dim(1), "gamma", x, api);
  if (!isd.valid() && (mean.valid() || needs == Needs::Deviation))
    failWithoutStatistics(api);
}

struct Operands {
  std::vector<openipu::Used> uses;
  unsigned sums = 0, mean = 0, isd = 0, gamma = 0;
};
Operands operands(std::vector<openipu::Used> outs, const poplar::Tensor &x,
                  const poplar::Tensor &grads, const std::vector<poplar::Tensor> &sums,
                  const poplar::Tensor &mean, const poplar::Tensor &isd,
                  const poplar::Tensor &gamma) {
  Operands o{std::move(outs)};
  o.uses.push_back(openipu::in(x));
  o.uses.push_back(openipu::in(grads));
  o.sums = unsigned(o.uses.size());
  for (const auto &t : sums)
    o.uses.push_back(openipu::in(t));
  auto add = [&](const poplar::Tensor &t, unsigned &index) {
    index = unsigned(o.uses.size());
    if (t.valid())
      o.uses.push_back(openipu::in(t));
  };
  add(mean, o.mean);
  add(isd, o.isd);
  add(gamma, o.gamma);
  return o;
}

// Whiten x first, if it is not.
void planWhiten(openipu::Plan &plan, const poplar::Graph &graph, const poplar::Tensor &x,
                NormGroups groups, const Operands &o) {
  plan.add(broadcastStep(graph, x, groups, Key::Statistic, BinaryOpType::SUBTRACT, "SubMean",
                         o.uses.at(o.mean).tensor, true));
  plan.add(broadcastStep(graph, x, groups, Key::Statistic, BinaryOpType::MULTIPLY, "MulInvStdDev",
                         o.uses.at(o.isd).tensor));
}

// grads * whitened, then both reductions.
void planSums(openipu::Plan &plan, const poplar::Graph &graph, const poplar::Tensor &x,
              const poplar::Tensor &grads, NormGroups groups, Key key, unsigned gradsOperand,
              unsigned xOperand, const poplar::Type &partials) {
  plan.add(binaryStep(graph, x, BinaryOpType::MULTIPLY, "MulGrads", {gradsOperand}, xOperand));
  popops::cost::ReduceTypes types;
  types.interTile = types.inVertex = partials;
  types.alike = 2; // of products and of gradients, which lie alike
  const auto sums = reducible(grads, groups, key);
  plan.append(popops::cost::reducePlan(graph, sums.view, sums.dims, popops::Operation::ADD,
                                       x.elementType(), "SumGradsAndProducts", types));
}

void planApply(openipu::Plan &plan, const poplar::Graph &graph, const poplar::Tensor &x,
               NormGroups groups, const Operands &o, unsigned first = 1) {
  for (auto [name, op] : {std::pair{"MulVarDelta", BinaryOpType::MULTIPLY},
                          std::pair{"AddMeanDelta", BinaryOpType::ADD}})
    plan.add(broadcastStep(graph, x, groups, Key::Statistic, op, name, o.uses.at(o.isd).tensor));
  plan.add(binaryStep(graph, x, BinaryOpType::ADD, "AddGrads", {first, first + 1}, 0));
  plan.add(broadcastStep(graph, x, groups, Key::Statistic, BinaryOpType::MULTIPLY, "MulInvStdDev",
                         o.uses.at(o.isd).tensor));
}

// `first`: the operand x; grads follow it.
void planParameters(openipu::Plan &plan, const poplar::Graph &graph, const poplar::Tensor &x,
                    const poplar::Tensor &grads, NormGroups groups, const Operands &o,
                    unsigned first, const poplar::Type &partials) {
  if (o.isd > o.mean)
    planWhiten(plan, graph, x, groups, o);
  planSums(plan, graph, x, grads, groups, Key::Parameter, first + 1, first, partials);
}
void planInput(openipu::Plan &plan, const poplar::Graph &graph, const poplar::Tensor &x,
               const poplar::Tensor &grads, NormGroups groups, const Operands &o, unsigned first,
               const poplar::Type &partials) {
  if (o.isd > o.mean)
    planWhiten(plan, graph, x, groups, o);
  if (o.gamma < o.uses.size())
    plan.add(broadcastStep(graph, grads, groups, Key::Parameter, BinaryOpType::MULTIPLY, "MulGamma",
                           o.uses.at(o.gamma).tensor, true));
  planSums(plan, graph, x, grads, groups, Key::Statistic, first + 1, first, partials);
  planApply(plan, graph, x, groups, o, first);
}

} // namespace

static std::pair<poplar::Tensor, poplar::Tensor>
parameterSums(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &grads,
              const poplar::Tensor &mean, const poplar::Tensor &isd, NormGroups groups,
              const poplar::Type &type, const poplar::Type &partials,
              poplar::program::Sequence &prog, const poplar::DebugContext &context) {
  auto r = reducible(grads, groups, Key::Parameter);
  auto gammaDelta =
      popops::cost::createReduceOutput(graph, r.view, type, r.dims, {context, "gammaDelta"});
  auto betaDelta = graph.clone(gammaDelta, {context, "betaDelta"});
  auto o =
      operands({openipu::out(gammaDelta), openipu::out(betaDelta)}, x, grads, {}, mean, isd, {});
  openipu::Plan plan;
  planParameters(plan, graph, x, grads, groups, o, 2, partials);
  Settings s{groups, false, mean.valid(), mean.valid() && isd.valid(), false, true, 1.0};
  prog.add(openipu::operation(
      graph, {kernels::normSums, o.uses, s.write(), std::move(plan), {context, "paramGradients"}}));
  return {gammaDelta, betaDelta};
}

std::pair<poplar::Tensor, poplar::Tensor>
paramGradients(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &grads,
               const poplar::Tensor &mean, const poplar::Tensor &isd, NormGroups groups,
               const poplar::Type &partials, poplar::program::Sequence &prog,
               const poplar::DebugContext &context, const std::string &api) {
  check(x, grads, mean, isd, {}, groups, partials, api, Needs::Nothing);
  return parameterSums(graph, x, grads, mean, isd, groups, grads.elementType(), partials, prog,
                       context);
}

poplar::Tensor gradients(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &grads,
                         const poplar::Tensor &mean, const poplar::Tensor &isd,
                         const poplar::Tensor &gamma, NormGroups groups,
                         const poplar::Type &partials, poplar::program::Sequence &prog,
                         const poplar::DebugContext &context, const std::string &api) {
  check(x, grads, mean, isd, gamma, groups, partials, api, Needs::Deviation);
  auto dx = graph.clone(grads.elementType(), x, {context, "gradients"});
  auto o = operands({openipu::out(dx)}, x, grads, {}, mean, isd, gamma);
  openipu::Plan plan;
  planInput(plan, graph, x, grads, groups, o, 1, partials);
  Settings s{groups, false, mean.valid(), true, gamma.valid(), false, 1.0};
  prog.add(openipu::operation(
      graph, {kernels::normGradient, o.uses, s.write(), std::move(plan), {context, "gradients"}}));
  return dx;
}

// Batch norm of channels side by side: the parameters' sums serve the input's gradient, too.
static poplar::Tensor gradientsFromSums(poplar::Graph &graph, const poplar::Tensor &x,
                                        const poplar::Tensor &grads, const poplar::Tensor &mean,
                                        const poplar::Tensor &isd, const poplar::Tensor &gamma,
                                        const poplar::Tensor &gammaDelta,
                                        const poplar::Tensor &betaDelta,
                                        poplar::program::Sequence &prog,
                                        const poplar::DebugContext &context) {
  auto dx = graph.clone(grads.elementType(), x, {context, "gradients"});
  auto o = operands({openipu::out(dx)}, x, grads, {betaDelta, gammaDelta}, mean, isd, gamma);
  openipu::Plan plan;
  planWhiten(plan, graph, x, {}, o);
  planApply(plan, graph, x, {}, o);
  Settings s{{}, true, true, true, true, false, 1.0, true};
  prog.add(openipu::operation(
      graph, {kernels::normGradient, o.uses, s.write(), std::move(plan), {context, "gradients"}}));
  return dx;
}

AllGradients allGradients(poplar::Graph &graph, const poplar::Tensor &x,
                          const poplar::Tensor &grads, const poplar::Tensor &mean,
                          const poplar::Tensor &isd, const poplar::Tensor &gamma, NormGroups groups,
                          const poplar::Type &partials, poplar::program::Sequence &prog,
                          const poplar::DebugContext &context, const std::string &api) {
  check(x, grads, mean, isd, gamma, groups, partials, api, Needs::Deviation);
  if (!haveUnits(x, groups)) {
    // Sums in half could overflow.
    auto [gammaSums, betaSums] =
        parameterSums(graph, x, grads, mean, isd, groups, poplar::FLOAT, partials, prog, context);
    auto dx =
        gradientsFromSums(graph, x, grads, mean, isd, gamma, gammaSums, betaSums, prog, context);
    const auto narrow = [&](const poplar::Tensor &sums, const char *name) {
      return sums.elementType() == grads.elementType()
                 ? sums
                 : popops::cast(graph, sums, grads.elementType(), prog, {context, name});
    };
    return {dx, narrow(gammaSums, "gammaDelta"), narrow(betaSums, "betaDelta")};
  }
  auto dx = graph.clone(grads.elementType(), x, {context, "gradients"});
  auto r = reducible(grads, groups, Key::Parameter);
  auto gammaDelta = popops::cost::createReduceOutput(graph, r.view, grads.elementType(), r.dims,
                                                     {context, "gammaDelta"});
  auto betaDelta = graph.clone(gammaDelta, {context, "betaDelta"});
  auto o = operands({openipu::out(dx), openipu::out(gammaDelta), openipu::out(betaDelta)}, x, grads,
                    {}, mean, isd, gamma);
  openipu::Plan plan;
  planParameters(plan, graph, x, grads, groups, o, 3, partials);
  if (groups.count == 0) // the same sums, and x is whitened still
    planApply(plan, graph, x, groups, o, 3);
  else
    planInput(plan, graph, x, grads, groups, o, 3, partials);
  Settings s{groups, false, true, true, true, true, 1.0};
  prog.add(openipu::operation(
      graph, {kernels::normBackward, o.uses, s.write(), std::move(plan), {context, "gradients"}}));
  return {dx, gammaDelta, betaDelta};
}

// Each replica gives its share of the averages; the callback adds them.
poplar::Tensor gradients(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &grads,
                         const poplar::Tensor &mean, const poplar::Tensor &isd,
                         const poplar::Tensor &gamma, const Distributed &distributed,
                         const poplar::Type &partials, poplar::program::Sequence &prog,
                         const poplar::DebugContext &context, const std::string &api) {
  check(x, grads, mean, isd, gamma, {}, partials, api, Needs::Deviation);
  const unsigned replicas = replicasOf(distributed, x, api);
  auto r = reducible(x, {}, Key::Statistic);
  auto products =
      popops::cost::createReduceOutput(graph, r.view, partials, r.dims, {context, "products"});
  auto sums = graph.clone(products, {context, "sums"});
  auto o = operands({openipu::out(products), openipu::out(sums)}, x, grads, {}, mean,
                    mean.valid() ? isd : poplar::Tensor(), gamma);
  openipu::Plan plan;
  if (mean.valid())
    planWhiten(plan, graph, x, {}, o);
  planSums(plan, graph, x, grads, {}, Key::Statistic, 3, 2, partials);
  double n = double(x.numElements()) / double(std::max<std::size_t>(1, x.dim(1))) * replicas;
  Settings s{{}, false, mean.valid(), mean.valid(), gamma.valid(), false, 1.0 / n};
  prog.add(openipu::operation(
      graph, {kernels::normSums, o.uses, s.write(), std::move(plan), {context, "gradientSums"}}));
  auto reduced =
      distributed.reduce(graph, {sums, products}, prog, replicas, {context, "reduce"}, {});

  auto dx = graph.clone(grads.elementType(), x, {context, "gradients"});
  auto apply = operands({openipu::out(dx)}, x, grads, reduced, mean, isd, gamma);
  openipu::Plan applyPlan;
  planApply(applyPlan, graph, x, {}, apply);
  Settings t{{}, true, mean.valid(), true, gamma.valid(), false, 1.0};
  prog.add(openipu::operation(graph, {kernels::normGradient,
                                      apply.uses,
                                      t.write(),
                                      std::move(applyPlan),
                                      {context, "gradients"}}));
  return dx;
}

} // namespace poplin::norms
