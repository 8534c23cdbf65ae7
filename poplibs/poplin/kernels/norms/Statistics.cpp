// SPDX-License-Identifier: MIT
// One pass over memory, unit by unit where there are units (UnitNorms.hpp). Else each task shifts
// its elements by the mean of its first block (which is in cache), so sums of squares do not
// cancel; tasks are merged in double.
#include "NormLoops.hpp"
#include "NormSpace.hpp"
#include "poplin/kernels/Norms.hpp"
#include "UnitNorms.hpp"
#include <cmath>
#include <optional>

namespace poplin::norms {
namespace {

using openipu::KernelArgs;
using Settings = kernels::NormStatisticsOf;
using Want = kernels::NormWant;

// Count, mean and sum of squares about the mean of a set.
struct Moments {
  double count = 0, mean = 0, squares = 0;
  void merge(double otherCount, double otherMean, double otherSquares) {
    if (otherCount == 0)
      return;
    double all = count + otherCount, delta = otherMean - mean;
    squares += otherSquares + delta * delta * count * otherCount / all;
    mean += delta * otherCount / all;
    count = all;
  }
};

class Statistics {
public:
  explicit Statistics(const KernelArgs &args)
      : settings_(Settings::read(args.attributes)),
        space_(settings_.groups, {&args.inputs[0]}, false), reduction_(space_, 0),
        sums_(reduction_) {
    const auto &x = args.inputs[0];
    if (settings_.want == Want::InvStdDev &&
        kernels::normHasUnits(settings_.groups, x.shape, x.strides)) {
      units_.emplace(settings_.groups, x, nullptr, settings_.eps, settings_.unbiased);
      return;
    }
    for (std::size_t task = 0; task < reduction_.tasks(); ++task)
      counts_.push_back(double(reduction_.elements(task)));
    moments_.resize(space_.keys[0]);
    result_.resize(space_.keys[0]);
  }

  void run(const KernelArgs &args) {
    rows::Data x(args.inputs[0]);
    if (units_) {
      units_->run({x, {}, nullptr, nullptr, false});
      storeVector(args.outputs[0], units_->mean.data());
      return storeVector(args.outputs[1], units_->invStdDev.data());
    }
    sums_.begin();
    reduction_.runTasks(
        [&](std::size_t task) { reduction_.byColumn() ? byColumn(x, task) : whole(x, task); });
    std::fill(moments_.begin(), moments_.end(), Moments{});
    sums_.merge([&](std::size_t key, std::size_t task, double mean, double squares) {
      moments_[key].merge(counts_[task], mean, squares);
    });
    finish(args);
  }

private:
  void whole(const rows::Data &x, std::size_t task) {
    double first = 0, second = 0;
    float shift = 0;
    reduction_.run(task, [&](const Block &block, bool isFirst) {
      auto in = read(x, space_, block, 0, 0);
      Shape2 shape{block.rows, block.n};
      if (isFirst)
        shift = float(momentsBlock(shape, {in.at, in.ld}, 0).first / double(block.rows * block.n));
      auto sums = momentsBlock(shape, {in.at, in.ld}, shift);
      first += sums.first;
      second += sums.second;
    });
    put(task, 0, shift, first, second);
  }

  void byColumn(const rows::Data &x, std::size_t task) {
    float *shift = rows::scratch(1, reduction_.width());
    double *first = sums_.clear(task), *second = sums_.second(task);
    std::size_t n = 0;
    reduction_.run(task, [&](const Block &block, bool isFirst) {
      auto in = read(x, space_, block, 0, 0);
      Shape2 shape{block.rows, n = block.n};
      if (isFirst)
        meansByColumn(shape, {in.at, in.ld}, shift);
      momentsByColumn(shape, {in.at, in.ld}, shift, first, second);
    });
    for (std::size_t i = 0; i < n; ++i)
      put(task, i, shift[i], first[i], second[i]);
  }

  // Sums about the shift become mean and squares about the mean.
  void put(std::size_t task, std::size_t i, float shift, double first, double second) {
    const double mean = first / counts_[task];
    sums_.first(task)[i] = double(shift) + mean;
    sums_.second(task)[i] = std::max(0.0, second - first * mean);
  }

  float deviation(const Moments &m) const {
    double n = settings_.unbiased && m.count > 1 ? m.count - 1 : m.count;
    double variance = n > 0 ? m.squares / n : 0;
    return float(1.0 / std::sqrt(variance + double(settings_.eps)));
  }

  void finish(const KernelArgs &args) {
    const float *about =
        settings_.want == Want::CentredPower ? rows::table(args.inputs[1], 8) : nullptr;
    double scale = double(settings_.scale);
    unsigned output = 0;
    if (settings_.want != Want::CentredPower)
      give(args.outputs[output++], [&](std::size_t i) {
        return float(moments_[i].mean * (settings_.want == Want::InvStdDev ? 1.0 : scale));
      });
    if (settings_.want == Want::InvStdDev)
      give(args.outputs[output], [&](std::size_t i) { return deviation(moments_[i]); });
    else if (settings_.want != Want::Mean)
      give(args.outputs[output], [&](std::size_t i) {
        const auto &m = moments_[i];
        double d = m.mean - (about ? double(about[i]) : 0.0);
        return float((m.count > 0 ? m.squares / m.count + d * d : 0.0) * scale);
      });
  }
  template <class Value> void give(const openipu::KernelOperand &to, Value &&value) {
    for (std::size_t i = 0; i < result_.size(); ++i)
      result_[i] = value(i);
    storeVector(to, result_.data());
  }

  Settings settings_;
  std::optional<UnitForward> units_; // where statistics of a part do not need the whole
  Space space_;
  Reduction reduction_;
  TaskSums sums_;
  std::vector<double> counts_;
  std::vector<Moments> moments_;
  std::vector<float> result_;
};

// From sums over replicas, (mean, power) or (mean, variance): the mean, and invStdDev.
void combine(const KernelArgs &args) {
  const auto attributes = kernels::NormInvStdDevOf::read(args.attributes);
  const auto eps = double(attributes.eps), correction = attributes.correction;
  const bool centred = attributes.centred;
  const float *mean = rows::table(args.inputs[0], 8), *power = rows::table(args.inputs[1], 9);
  storeVector(args.outputs[0], mean);
  float *to = rows::scratch(0, args.outputs[1].elements);
  for (std::size_t i = 0; i < args.outputs[1].elements; ++i) {
    double m = centred ? 0.0 : double(mean[i]);
    double variance = std::max(0.0, double(power[i]) - m * m) * correction;
    to[i] = float(1.0 / std::sqrt(variance + eps));
  }
  storeVector(args.outputs[1], to);
}

const openipu::Registered registered{
    openipu::stateful<Statistics>(kernels::normStatistics, openipu::alwaysGivesFloats)};
const openipu::Registered registeredCombine{
    {.name = kernels::normInvStdDev, .run = combine, .givesFloats = openipu::alwaysGivesFloats}};

} // namespace
} // namespace poplin::norms
