// SPDX-License-Identifier: MIT
#include "base/Half.hpp"
#include "LayerLoops.hpp"
#include "PlainLoops.hpp"
#include "UnitNorms.hpp"
#include <cmath>

namespace poplin::norms {
namespace {

constexpr std::size_t most = 8192; // elements that are summed in float

void roundToHalf(float &a, float &b) {
  float values[2] = {a, b};
  std::uint16_t halves[2];
  base::floatToHalf(values, halves, 2);
  base::halfToFloat(halves, values, 2);
  a = values[0];
  b = values[1];
}

} // namespace

UnitForward::UnitForward(NormGroups groups, const openipu::KernelOperand &x,
                         const openipu::KernelOperand *y, float eps, bool unbiased)
    : units_(groups, {&x, y ? y : &x}), normalise_(y != nullptr), eps_(double(eps)) {
  const double n = double(units_.perStatistic);
  inverseCount_ = 1.0 / (unbiased && n > 1 ? n - 1 : std::max(n, 1.0));
  mean.resize(units_.statistics);
  invStdDev.resize(units_.statistics);
}

void UnitForward::run(const Operands &o) {
  if (units_.count == 0) {
    std::fill(mean.begin(), mean.end(), 0.0f);
    std::fill(invStdDev.begin(), invStdDev.end(), float(1.0 / std::sqrt(eps_)));
  }
  units_.run([&](std::size_t, std::size_t begin, std::size_t end) {
    if (units_.isMatrix() && units_.direct(0) && units_.direct(1) && !o.halfStatistics)
      return matrix(o, begin, end);
    for (auto unit = begin; unit < end; ++unit)
      units_.mode == Units::Mode::Plain   ? plain(o, unit)
      : units_.mode == Units::Mode::Layer ? layer(o, unit)
                                          : columns(o, unit);
  });
}

void UnitForward::settle(const Operands &o, std::size_t statistic, double centre, double squares) {
  const double variance = std::max(0.0, squares) * inverseCount_;
  mean[statistic] = float(centre);
  invStdDev[statistic] = float(1.0 / std::sqrt(variance + eps_));
  if (o.halfStatistics)
    roundToHalf(mean[statistic], invStdDev[statistic]);
}

void UnitForward::plain(const Operands &o, std::size_t unit) {
  auto view = units_.view(0, o.x, unit, 0, true);
  const ChannelRows x{view.at, view.channel, view.row};
  const PlaneShape shape{units_.channels, units_.repeat, units_.n};
  const double n = double(units_.perStatistic);
  const float about = float(planeMoments(shape, x, 0).first / n);
  const Sums sums = planeMoments(shape, x, about);
  settle(o, unit, double(about) + sums.first / n, sums.second - sums.first * sums.first / n);
  if (!normalise_)
    return;
  auto y = units_.view(1, o.y, unit, 1, false);
  float *scale = rows::scratch(4, 2 * shape.channels), *shift = scale + shape.channels;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    const auto p = units_.parameter(unit, c);
    scale[c] = invStdDev[unit] * o.gamma[p];
    shift[c] = o.beta[p];
  }
  planeAffine(shape, x, {y.at, y.channel, y.row}, mean[unit], scale, shift);
  units_.bringHome(1, o.y, unit, y);
}

void UnitForward::matrix(const Operands &o, std::size_t begin, std::size_t end) {
  const auto ldx = units_.unitStride(0), ldy = units_.unitStride(1);
  layerForward({end - begin, units_.n}, {o.x.floats() + std::int64_t(begin) * ldx, ldx},
               {normalise_ ? o.y.floats() + std::int64_t(begin) * ldy : nullptr, ldy}, o.gamma,
               o.beta, {&mean[begin], &invStdDev[begin], inverseCount_, eps_});
}

void UnitForward::layer(const Operands &o, std::size_t unit) {
  auto x = units_.view(0, o.x, unit, 0, true);
  const Shape2 shape{1, units_.n};
  layerForward(shape, {x.at, 0}, {nullptr, 0}, nullptr, nullptr,
               {&mean[unit], &invStdDev[unit], inverseCount_, eps_});
  if (o.halfStatistics)
    roundToHalf(mean[unit], invStdDev[unit]);
  if (!normalise_)
    return;
  auto y = units_.view(1, o.y, unit, 1, false);
  const auto p = units_.parameter(unit, 0);
  affineBlock(shape, {x.at, 0}, {y.at, 0}, {nullptr, 0},
              {{mean[unit]}, {invStdDev[unit]}, {0, o.gamma + p}, {0, o.beta + p}});
  units_.bringHome(1, o.y, unit, y);
}

// Modes Batch and Channels: sums per column; in mode Channels those of a group are added up.
void UnitForward::columns(const Operands &o, std::size_t unit) {
  auto x = units_.view(0, o.x, unit, 0, true);
  const std::size_t w = units_.width(unit);
  const bool batch = units_.mode == Units::Mode::Batch;
  const std::size_t keys = batch ? w : units_.groups;
  auto key = [&](std::size_t j) { return batch ? j : std::size_t(units_.groupOf[j]); };
  double *sums = reinterpret_cast<double *>(rows::scratch(4, 8 * (w + keys)));
  double *squares = sums + w, *sumOf = squares + w, *squaresOf = sumOf + keys;
  float *about = rows::scratch(5, w);
  auto moments = [&] {
    std::fill(sums, sums + 2 * (w + keys), 0.0);
    const std::size_t high = std::max<std::size_t>(64, most / std::max<std::size_t>(1, w));
    for (std::size_t c = 0; c < units_.channels; ++c)
      for (std::size_t r = 0; r < units_.repeat; r += high)
        momentsByColumn({std::min(high, units_.repeat - r), w},
                        {x.at + std::int64_t(c) * x.channel + std::int64_t(r) * x.row, x.row},
                        about, sums, squares);
    for (std::size_t j = 0; j < w; ++j) {
      sumOf[key(j)] += sums[j];
      squaresOf[key(j)] += squares[j];
    }
  };
  const double n = double(units_.perStatistic);
  std::fill(about, about + w, 0.0f);
  moments();
  for (std::size_t j = 0; j < w; ++j)
    about[j] = float(sumOf[key(j)] / n);
  moments();
  for (std::size_t j = 0; j < w; ++j) // columns of a group write the same
    settle(o, units_.statistic(unit, j), double(about[j]) + sumOf[key(j)] / n,
           squaresOf[key(j)] - sumOf[key(j)] * sumOf[key(j)] / n);
  if (normalise_)
    normaliseColumns(o, unit, x);
}

void UnitForward::normaliseColumns(const Operands &o, std::size_t unit, const Units::View &x) {
  const std::size_t w = units_.width(unit);
  float *means = rows::scratch(6, 2 * w), *isds = means + w;
  for (std::size_t j = 0; j < w; ++j) {
    means[j] = mean[units_.statistic(unit, j)];
    isds[j] = invStdDev[units_.statistic(unit, j)];
  }
  auto y = units_.view(1, o.y, unit, 1, false);
  for (std::size_t c = 0; c < units_.channels; ++c) {
    const auto p = units_.parameter(unit, c);
    AffineValues values{{0, means}, {0, isds}, {o.gamma[p]}, {o.beta[p]}};
    if (units_.mode == Units::Mode::Channels) {
      values.gamma.each = o.gamma;
      values.beta.each = o.beta;
    }
    affineBlock({units_.repeat, w}, {x.at + std::int64_t(c) * x.channel, x.row},
                {y.at + std::int64_t(c) * y.channel, y.row}, {nullptr, 0}, values);
  }
  units_.bringHome(1, o.y, unit, y);
}

} // namespace poplin::norms
