// SPDX-License-Identifier: MIT
// Norms applied: whitened = (x - mean) * invStdDev, normalised = whitened * gamma + beta, either or
// both. Host: one pass. Tiles: a broadcast subtract, multiply, multiply and add, where x lies.
#include "Checks.hpp"
#include "NormLoops.hpp"
#include "NormPlan.hpp"
#include "NormSpace.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Operation.hpp"
#include <utility>

namespace poplin::norms {
namespace {

using openipu::KernelArgs;
using popops::expr::BinaryOpType;

struct Settings {
  NormGroups groups;
  bool normalised, whitened, stat, gamma, beta;
};
std::string bytes(const Settings &s) {
  return startingWith(s.groups)
      .put(s.normalised)
      .put(s.whitened)
      .put(s.stat)
      .put(s.gamma)
      .put(s.beta)
      .take();
}
Settings settings(std::string_view attributes) {
  openipu::AttributeReader in(attributes);
  Settings s;
  s.groups = readGroups(in);
  for (bool *flag : {&s.normalised, &s.whitened, &s.stat, &s.gamma, &s.beta})
    *flag = in.get<bool>();
  return s;
}

class AffineKernel {
public:
  explicit AffineKernel(const KernelArgs &args)
      : settings_(settings(args.attributes)),
        space_(settings_.groups,
               {&args.inputs[0], &args.outputs[0], &args.outputs[args.outputs.size() - 1]}),
        walk_(space_) {
    if (settings_.normalised && args.outputs.back().unread)
      settings_.whitened = false; // inference: only training reads it
  }

  void run(const KernelArgs &args) {
    Tables tables = tablesOf(args);
    rows::Data x(args.inputs[0]), y, w;
    if (settings_.normalised)
      y = rows::Data(args.outputs[0]);
    if (settings_.whitened)
      w = rows::Data(args.outputs[args.outputs.size() - 1]);
    walk_.run([&](const Block &block) { apply(block, tables, x, y, w); });
  }

private:
  struct Tables {
    const float *mean = nullptr, *isd = nullptr, *gamma = nullptr, *beta = nullptr;
  };
  Tables tablesOf(const KernelArgs &args) const {
    Tables tables;
    unsigned next = 1;
    if (settings_.stat) {
      tables.mean = rows::table(args.inputs[next++], 8);
      tables.isd = rows::table(args.inputs[next++], 9);
    }
    if (settings_.gamma)
      tables.gamma = rows::table(args.inputs[next++], 10);
    if (settings_.beta)
      tables.beta = rows::table(args.inputs[next++], 11);
    return tables;
  }
  // A vector where others of its kind are, also when it is absent.
  Value value(const float *table, const Block &block, unsigned which, float absent,
              unsigned slot) const {
    if (table || !space_.varies[which])
      return valueOf(table, space_, block, which, absent, slot);
    float *same = rows::scratch(slot, block.n);
    std::fill(same, same + block.n, absent);
    return {0, same};
  }
  void apply(const Block &block, const Tables &tables, const rows::Data &x, const rows::Data &y,
             const rows::Data &w) const {
    AffineValues values;
    values.mean.one = 0;
    values.invStdDev.one = values.gamma.one = 1;
    if (settings_.stat) {
      values.mean = value(tables.mean, block, 0, 0, 3);
      values.invStdDev = value(tables.isd, block, 0, 1, 4);
    }
    if (settings_.gamma || settings_.beta) {
      values.gamma = value(tables.gamma, block, 1, 1, 5);
      values.beta = value(tables.beta, block, 1, 0, 6);
    }
    auto in = read(x, space_, block, 0, 0);
    Target none{nullptr, 0};
    auto yTo = settings_.normalised ? target(y, space_, block, 1, 1) : none;
    auto wTo = settings_.whitened ? target(w, space_, block, 2, 2) : none;
    affineBlock({block.rows, block.n}, {in.at, in.ld}, {yTo.at, yTo.ld}, {wTo.at, wTo.ld}, values);
    if (settings_.normalised)
      write(y, space_, block, 1, yTo);
    if (settings_.whitened)
      write(w, space_, block, 2, wTo);
  }

  Settings settings_;
  Space space_;
  BlockWalk walk_;
};

const openipu::Registered registered{
    openipu::stateful<AffineKernel>("poplin.norm.affine", openipu::alwaysGivesFloats)};

} // namespace

namespace {

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
  Settings settings{groups,         a.wantNormalised, a.wantWhitened,
                    a.mean.valid(), a.gamma.valid(),  a.beta.valid()};
  prog.add(openipu::operation(
      graph, {"poplin.norm.affine", uses, bytes(settings), std::move(plan), {context, "norm"}}));
  return {y, w};
}

} // namespace poplin::norms
