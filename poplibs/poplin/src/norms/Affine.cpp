// SPDX-License-Identifier: MIT
// Norms applied: whitened = (x - mean) * invStdDev, normalised = whitened * gamma + beta, either or
// both. Tiles: a broadcast subtract, multiply, multiply and add, where x lies.
#include "Checks.hpp"
#include "NormPlan.hpp"
#include "openipu/Operation.hpp"
#include "poplin/kernels/Norms.hpp"
#include <utility>

namespace poplin::norms {
namespace {

using popops::expr::BinaryOpType;

struct Part {
  poplar::Tensor vector;
  Key key;
  BinaryOpType op;
  const char *name;
};

// Where statistics are per channel as well, x takes one factor and one addend:
// gamma * isd and beta - mean * gamma * isd.
std::vector<Part> jointParts(const poplar::Graph &graph, const Affine &a, openipu::Plan &plan) {
  for (auto [op, name] :
       {std::pair{BinaryOpType::MULTIPLY, "Factor"}, std::pair{BinaryOpType::MULTIPLY, "Shift"},
        std::pair{BinaryOpType::SUBTRACT, "Addend"}})
    plan.add(binaryStep(graph, a.gamma, op, name, {}, 0));
  return {{a.gamma, Key::Parameter, BinaryOpType::MULTIPLY, "MulFactor"},
          {a.beta, Key::Parameter, BinaryOpType::ADD, "AddAddend"}};
}

} // namespace

openipu::Plan affinePlan(const poplar::Graph &graph, const poplar::Tensor &at, NormGroups groups,
                         const Affine &a, unsigned acts) {
  openipu::Plan plan;
  const bool joint = !groups.count && !a.wantWhitened && a.mean.valid() && a.invStdDev.valid() &&
                     a.gamma.valid() && a.beta.valid();
  const auto parts =
      joint
          ? jointParts(graph, a, plan)
          : std::vector<Part>{{a.mean, Key::Statistic, BinaryOpType::SUBTRACT, "SubMean"},
                              {a.invStdDev, Key::Statistic, BinaryOpType::MULTIPLY, "MulInvStdDev"},
                              {a.gamma, Key::Parameter, BinaryOpType::MULTIPLY, "MulGamma"},
                              {a.beta, Key::Parameter, BinaryOpType::ADD, "AddBeta"}};
  bool first = true;
  for (const auto &[vector, key, op, name] : parts) {
    if (!vector.valid())
      continue;
    auto step = broadcastStep(graph, at, groups, key, op, name, vector);
    if (std::exchange(first, false))
      step.needs.push_back({acts, 0});
    plan.add(std::move(step));
  }
  return plan;
}

std::pair<poplar::Tensor, poplar::Tensor> affine(poplar::Graph &graph, const poplar::Tensor &x,
                                                 NormGroups groups, const Affine &a,
                                                 poplar::program::Sequence &prog,
                                                 const poplar::DebugContext &context,
                                                 const std::string &api) {
  checkActs(x, groups, api);
  auto statistics = numStatistics(x, groups);
  checkVector(a.mean, statistics, "mean", x, api);
  checkVector(a.invStdDev, statistics, "inverse standard deviation", x, api);
  checkVector(a.gamma, x.dim(1), "gamma", x, api);
  checkVector(a.beta, x.dim(1), "beta", x, api);
  if (a.wantWhitened && !(a.mean.valid() && a.invStdDev.valid()))
    failWithoutStatistics(api);

  poplar::Tensor y, w;
  std::vector<openipu::Used> uses;
  if (a.wantNormalised)
    uses.push_back(openipu::out(y = graph.clone(x, {context, "normalised"})));
  if (a.wantWhitened)
    uses.push_back(openipu::out(w = graph.clone(x, {context, "whitened"})));
  auto input = unsigned(uses.size());
  uses.push_back(openipu::in(x));

  for (const auto *t : {&a.mean, &a.invStdDev, &a.gamma, &a.beta})
    if (t->valid())
      uses.push_back(openipu::in(*t));
  auto plan = affinePlan(graph, input ? uses[0].tensor : x, groups, a, input);
  const kernels::NormAffineOf attributes{groups,         a.wantNormalised, a.wantWhitened,
                                         a.mean.valid(), a.gamma.valid(),  a.beta.valid()};
  prog.add(openipu::operation(
      graph, {kernels::normAffine, uses, attributes.write(), std::move(plan), {context, "norm"}}));
  return {y, w};
}

} // namespace poplin::norms
