// SPDX-License-Identifier: MIT
// Everything in one pass, unit by unit, where there are units (UnitNorms.hpp); else one pass for
// sums, a second for dx.
#include "NormLoops.hpp"
#include "NormSpace.hpp"
#include "poplin/kernels/Norms.hpp"
#include "UnitNorms.hpp"
#include <optional>

namespace poplin::norms {
namespace {

using openipu::KernelArgs;
using Settings = kernels::NormGradientOf;

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
      : settings_(Settings::read(args.attributes)),
        space_(settings_.groups, {&args.inputs[0], &args.inputs[1]}),
        products_(space_, settings_.perParameter), result_(products_.first.size()) {
    const auto &x = args.inputs[0];
    if (settings_.perParameter && settings_.hasMean && settings_.hasIsd && !settings_.hasGamma &&
        kernels::normHasUnits(settings_.groups, x.shape, x.strides))
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
      : settings_(Settings::read(args.attributes)),
        space_(settings_.groups, {&args.inputs[0], &args.inputs[1], &args.outputs[0]}),
        walk_(space_), products_(space_, 0) {
    mean_.resize(space_.keys[0]);
    a_ = b_ = c_ = mean_;
    const auto &x = args.inputs[0];
    if (!settings_.hasSums && settings_.hasMean &&
        kernels::normHasUnits(settings_.groups, x.shape, x.strides))
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
      : settings_(Settings::read(args.attributes)),
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
    openipu::stateful<AllKernel>(kernels::normBackward, openipu::alwaysGivesFloats)};
const openipu::Registered registeredSums{
    openipu::stateful<SumsKernel>(kernels::normSums, openipu::alwaysGivesFloats)};
const openipu::Registered registered{
    openipu::stateful<GradientKernel>(kernels::normGradient, openipu::alwaysGivesFloats)};
const openipu::Overwriting inPlace{kernels::normGradient, kernels::normGradientMayOverwrite};
const openipu::Overwriting allInPlace{kernels::normBackward, kernels::normGradientMayOverwrite};

} // namespace
} // namespace poplin::norms
