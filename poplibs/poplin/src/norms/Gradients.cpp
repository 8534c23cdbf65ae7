// SPDX-License-Identifier: MIT
// Norms backwards. With w = (x - mean) * isd and averages over all elements that share a statistic:
//   d gamma = sum(g * w), d beta = sum(g)                                        per channel
//   dx = isd * (gamma * g - average(gamma * g) - w * average(gamma * g * w))
// Host: everything in one pass, unit by unit, where there are units (UnitNorms.hpp); else one pass
// for sums, a second for dx. Tiles: products, two reductions, broadcasts.
#include "base/Text.hpp"
#include "Checks.hpp"
#include "NormLoops.hpp"
#include "NormPlan.hpp"
#include "NormSpace.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Operation.hpp"
#include "openipu/Overwrite.hpp"
#include "popops/Cast.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/exceptions.hpp"
#include "UnitNorms.hpp"
#include <optional>

namespace poplin::norms {
namespace {

using openipu::KernelArgs;
using popops::expr::BinaryOpType;

// Inputs: x, grads, [sums], [mean], [isd], [gamma]
struct Settings {
  NormGroups groups;
  bool hasSums, hasMean, hasIsd, hasGamma;
  bool perParameter;      // sums per channel, else per statistic
  double scale;           // of sums
  bool plainSums = false; // the sums given are not multiplied by gamma yet
};
std::string bytes(const Settings &s) {
  return startingWith(s.groups)
      .put(s.hasSums)
      .put(s.hasMean)
      .put(s.hasIsd)
      .put(s.hasGamma)
      .put(s.perParameter)
      .put(s.scale)
      .put(s.plainSums)
      .take();
}
Settings settings(std::string_view attributes) {
  openipu::AttributeReader in(attributes);
  Settings s;
  s.groups = readGroups(in);
  for (bool *flag : {&s.hasSums, &s.hasMean, &s.hasIsd, &s.hasGamma, &s.perParameter})
    *flag = in.get<bool>();
  s.scale = in.get<double>();
  s.plainSums = in.get<bool>();
  return s;
}

struct Tables {
  const float *sumG = nullptr, *sumGw = nullptr, *mean = nullptr, *isd = nullptr, *gamma = nullptr;
};
Tables tablesOf(const KernelArgs &args, const Settings &s) {
  Tables tables;
  unsigned next = 2;
  if (s.hasSums) {
    tables.sumG = rows::table(args.inputs[next++], 8);
    tables.sumGw = rows::table(args.inputs[next++], 9);
  }
  if (s.hasMean)
    tables.mean = rows::table(args.inputs[next++], 10);
  if (s.hasIsd)
    tables.isd = rows::table(args.inputs[next++], 11);
  if (s.hasGamma)
    tables.gamma = rows::table(args.inputs[next++], 12);
  return tables;
}

// The sums of gamma * g and of gamma * g * w per statistic or parameter; w is x, or made of x with
// mean and isd.
class Products {
public:
  Products(const Space &space, unsigned which)
      : space_(space), reduction_(space, which), sums_(reduction_) {
    first.resize(space.keys[which]);
    second.resize(space.keys[which]);
  }

  void run(const rows::Data &x, const rows::Data &g, const Tables &tables) {
    sums_.begin();
    reduction_.runTasks([&](std::size_t task) {
      if (!reduction_.byColumn())
        whole(x, g, tables, task);
      else if (tables.mean && !space_.varies[0] && !tables.gamma)
        byColumnPerRow(x, g, tables, task);
      else
        byColumn(x, g, tables, task);
    });
    std::fill(first.begin(), first.end(), 0.0);
    std::fill(second.begin(), second.end(), 0.0);
    sums_.merge([&](std::size_t key, std::size_t, double firstSum, double secondSum) {
      first[key] += firstSum;
      second[key] += secondSum;
    });
  }
  std::vector<double> first, second;

private:
  void whole(const rows::Data &x, const rows::Data &g, const Tables &tables, std::size_t task) {
    double *at = sums_.clear(task);
    reduction_.run(task, [&](const Block &block, bool) {
      auto in = read(x, space_, block, 0, 0), grad = read(g, space_, block, 1, 1);
      auto mean = valueOf(tables.mean, space_, block, 0, 0, 2);
      auto isd = valueOf(tables.mean ? tables.isd : nullptr, space_, block, 0, 1, 3);
      auto gamma = valueOf(tables.gamma, space_, block, 1, 1, 4);
      auto sums = productsBlock({block.rows, block.n}, {in.at, in.ld}, {grad.at, grad.ld}, mean,
                                isd, gamma);
      at[0] += sums.first;
      at[1] += sums.second;
    });
  }

  void byColumn(const rows::Data &x, const rows::Data &g, const Tables &tables, std::size_t task) {
    auto width = reduction_.width();
    double *first = sums_.clear(task), *second = sums_.second(task);
    float *zeros = rows::scratch(5, width);
    std::fill(zeros, zeros + width, 0.0f);
    double *f = reinterpret_cast<double *>(rows::scratch(6, 4 * width)), *s = f + width;
    reduction_.run(task, [&](const Block &block, bool) {
      auto in = read(x, space_, block, 0, 0), grad = read(g, space_, block, 1, 1);
      bool white = !tables.mean;
      const float *mean = white ? zeros : vector(tables.mean, space_, block, 0, 2);
      const float *isd = white ? nullptr : vector(tables.isd, space_, block, 0, 3);
      Shape2 shape{block.rows, block.n};
      if (!tables.gamma)
        return productsByColumn(shape, {in.at, in.ld}, {grad.at, grad.ld}, mean, isd, first,
                                second);
      const float *gamma = vector(tables.gamma, space_, block, 1, 4);
      std::fill(f, f + 2 * width, 0.0);
      productsByColumn(shape, {in.at, in.ld}, {grad.at, grad.ld}, mean, isd, f, s);
      for (std::size_t i = 0; i < block.n; ++i) {
        first[i] += f[i] * double(gamma[i]);
        second[i] += s[i] * double(gamma[i]);
      }
    });
  }

  // Statistics that change from row to row (layer norm): sums of 64 blocks are kept as floats.
  void byColumnPerRow(const rows::Data &x, const rows::Data &g, const Tables &tables,
                      std::size_t task) {
    auto width = reduction_.width();
    double *sums = sums_.clear(task);
    float *part = rows::scratch(5, 2 * width);
    std::fill(part, part + 2 * width, 0.0f);
    auto flush = [&] {
      for (std::size_t i = 0; i < 2 * width; ++i) {
        sums[i] += double(part[i]);
        part[i] = 0;
      }
    };
    std::size_t rowsInPart = 0;
    reduction_.run(task, [&](const Block &block, bool) {
      auto in = read(x, space_, block, 0, 0), grad = read(g, space_, block, 1, 1);
      addProducts({block.rows, block.n}, {in.at, in.ld}, {grad.at, grad.ld},
                  scalar(tables.mean, space_, block, 0), scalar(tables.isd, space_, block, 0), part,
                  part + width);
      if ((rowsInPart += block.rows) >= 64) {
        flush();
        rowsInPart = 0;
      }
    });
    flush();
  }

  const Space &space_;
  Reduction reduction_;
  TaskSums sums_;
};

// Outputs: sums of g * w, sums of g.
class SumsKernel {
public:
  explicit SumsKernel(const KernelArgs &args)
      : settings_(settings(args.attributes)),
        space_(settings_.groups, {&args.inputs[0], &args.inputs[1]}),
        products_(space_, settings_.perParameter), result_(products_.first.size()) {
    const auto &x = args.inputs[0];
    if (settings_.perParameter && settings_.hasMean && settings_.hasIsd && !settings_.hasGamma &&
        Units::exist(settings_.groups, x.shape, x.strides))
      units_.emplace(settings_.groups, x, args.inputs[1], nullptr, true);
  }

  void run(const KernelArgs &args) {
    if (units_) {
      Tables tables = tablesOf(args, settings_);
      units_->run({rows::Data(args.inputs[0]),
                   rows::Data(args.inputs[1]),
                   {},
                   tables.mean,
                   tables.isd,
                   nullptr});
      give(args.outputs[0], units_->gammaSums);
      return give(args.outputs[1], units_->betaSums);
    }
    products_.run(rows::Data(args.inputs[0]), rows::Data(args.inputs[1]),
                  tablesOf(args, settings_));
    give(args.outputs[0], products_.second);
    give(args.outputs[1], products_.first);
  }

private:
  void give(const openipu::KernelOperand &to, const std::vector<double> &sums) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      result_[i] = float(sums[i] * settings_.scale);
    storeVector(to, result_.data());
  }
  Settings settings_;
  Space space_;
  Products products_;
  std::optional<UnitBackward> units_;
  std::vector<float> result_;
};

// Output: dx.
class GradientKernel {
public:
  explicit GradientKernel(const KernelArgs &args)
      : settings_(settings(args.attributes)),
        space_(settings_.groups, {&args.inputs[0], &args.inputs[1], &args.outputs[0]}),
        walk_(space_), products_(space_, 0) {
    mean_.resize(space_.keys[0]);
    a_ = b_ = c_ = mean_;
    const auto &x = args.inputs[0];
    if (!settings_.hasSums && settings_.hasMean &&
        Units::exist(settings_.groups, x.shape, x.strides))
      units_.emplace(settings_.groups, x, args.inputs[1], &args.outputs[0], false);
  }

  void run(const KernelArgs &args) {
    rows::Data x(args.inputs[0]), g(args.inputs[1]), dx(args.outputs[0]);
    Tables tables = tablesOf(args, settings_);
    if (units_)
      return units_->run({x, g, dx, tables.mean, tables.isd, tables.gamma});
    if (!settings_.hasSums)
      products_.run(x, g, tables);
    coefficients(tables);
    walk_.run([&](const Block &block) { apply(block, tables, x, g, dx); });
  }

private:
  // dx = a * gamma * g + b * (x - mean) + c
  void coefficients(const Tables &tables) {
    double n = double(space_.elements) / double(std::max<std::size_t>(1, space_.keys[0]));
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      double isd = double(tables.isd[i]);
      double g = tables.sumG ? double(tables.sumG[i]) : products_.first[i] / n;
      double gw = tables.sumGw ? double(tables.sumGw[i]) : products_.second[i] / n;
      if (settings_.plainSums) {
        g *= double(tables.gamma[i]) / n;
        gw *= double(tables.gamma[i]) / n;
      }
      mean_[i] = tables.mean ? tables.mean[i] : 0.0f;
      a_[i] = float(isd);
      b_[i] = float(-isd * gw * (tables.mean ? isd : 1.0));
      c_[i] = float(-isd * g);
    }
  }
  void apply(const Block &block, const Tables &tables, const rows::Data &x, const rows::Data &g,
             const rows::Data &dx) const {
    GradientValues values;
    values.mean = valueOf(mean_.data(), space_, block, 0, 0, 3);
    values.a = valueOf(a_.data(), space_, block, 0, 0, 4);
    values.b = valueOf(b_.data(), space_, block, 0, 0, 5);
    values.c = valueOf(c_.data(), space_, block, 0, 0, 6);
    values.gamma = valueOf(tables.gamma, space_, block, 1, 1, 7);
    auto in = read(x, space_, block, 0, 0), grad = read(g, space_, block, 1, 1);
    auto to = target(dx, space_, block, 2, 2);
    gradientBlock({block.rows, block.n}, {in.at, in.ld}, {grad.at, grad.ld}, {to.at, to.ld},
                  values);
    write(dx, space_, block, 2, to);
  }

  Settings settings_;
  Space space_;
  BlockWalk walk_;
  Products products_;
  std::optional<UnitBackward> units_;
  std::vector<float> mean_, a_, b_, c_;
};

// Outputs: dx, sums of g * w, sums of g.
class AllKernel {
public:
  explicit AllKernel(const KernelArgs &args)
      : settings_(settings(args.attributes)),
        units_(settings_.groups, args.inputs[0], args.inputs[1], &args.outputs[0], true),
        result_(units_.gammaSums.size()) {}

  void run(const KernelArgs &args) {
    Tables tables = tablesOf(args, settings_);
    units_.run({rows::Data(args.inputs[0]), rows::Data(args.inputs[1]), rows::Data(args.outputs[0]),
                tables.mean, tables.isd, tables.gamma});
    give(args.outputs[1], units_.gammaSums);
    give(args.outputs[2], units_.betaSums);
  }

private:
  void give(const openipu::KernelOperand &to, const std::vector<double> &sums) {
    std::copy(sums.begin(), sums.end(), result_.begin());
    storeVector(to, result_.data());
  }
  Settings settings_;
  UnitBackward units_;
  std::vector<float> result_;
};

const openipu::Registered registeredAll{
    openipu::stateful<AllKernel>("poplin.norm.backward", openipu::alwaysGivesFloats)};
const openipu::Registered registeredSums{
    openipu::stateful<SumsKernel>("poplin.norm.sums", openipu::alwaysGivesFloats)};
const openipu::Registered registered{
    openipu::stateful<GradientKernel>("poplin.norm.gradient", openipu::alwaysGivesFloats)};
// Sums are there before an element is written, and nothing but itself is read for it then.
bool overActivations(std::string_view, std::size_t, std::size_t output, std::size_t input) {
  return output == 0 && input < 2; // dx where x or its gradient was
}
const openipu::Overwriting inPlace{"poplin.norm.gradient", overActivations};
const openipu::Overwriting allInPlace{"poplin.norm.backward", overActivations};

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
      graph, {"poplin.norm.sums", o.uses, bytes(s), std::move(plan), {context, "paramGradients"}}));
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
      graph, {"poplin.norm.gradient", o.uses, bytes(s), std::move(plan), {context, "gradients"}}));
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
      graph, {"poplin.norm.gradient", o.uses, bytes(s), std::move(plan), {context, "gradients"}}));
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
      graph, {"poplin.norm.backward", o.uses, bytes(s), std::move(plan), {context, "gradients"}}));
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
      graph, {"poplin.norm.sums", o.uses, bytes(s), std::move(plan), {context, "gradientSums"}}));
  auto reduced =
      distributed.reduce(graph, {sums, products}, prog, replicas, {context, "reduce"}, {});

  auto dx = graph.clone(grads.elementType(), x, {context, "gradients"});
  auto apply = operands({openipu::out(dx)}, x, grads, reduced, mean, isd, gamma);
  openipu::Plan applyPlan;
  planApply(applyPlan, graph, x, {}, apply);
  Settings t{{}, true, mean.valid(), true, gamma.valid(), false, 1.0};
  prog.add(openipu::operation(graph, {"poplin.norm.gradient",
                                      apply.uses,
                                      bytes(t),
                                      std::move(applyPlan),
                                      {context, "gradients"}}));
  return dx;
}

} // namespace poplin::norms
