// SPDX-License-Identifier: MIT
#include "LayerLoops.hpp"
#include "PlainLoops.hpp"
#include "UnitNorms.hpp"

namespace poplin::norms {
namespace {

constexpr std::size_t most = 8192; // elements that are summed in float

} // namespace

// Sums of the units of a share.
struct UnitBackward::Task {
  double *gammaSums, *betaSums;
};

UnitBackward::UnitBackward(NormGroups groups, const openipu::KernelOperand &x,
                           const openipu::KernelOperand &g, const openipu::KernelOperand *dx,
                           bool wantParameters)
    : units_(groups, {&x, &g, dx ? dx : &x}), wantDx_(dx != nullptr),
      wantParameters_(wantParameters), ones_(units_.parameters, 1.0f) {
  sums_.resize(units_.shares() * 2 * units_.parameters);
  gammaSums.resize(units_.parameters);
  betaSums.resize(units_.parameters);
}

void UnitBackward::run(const Operands &operands) {
  Operands o = operands;
  if (!o.gamma)
    o.gamma = ones_.data();
  const std::size_t p = units_.parameters;
  std::fill(sums_.begin(), sums_.end(), 0.0);
  units_.run([&](std::size_t share, std::size_t begin, std::size_t end) {
    Task task{&sums_[share * 2 * p], &sums_[share * 2 * p] + p};
    if (units_.isMatrix() && units_.direct(0) && units_.direct(1) && units_.direct(2))
      return matrix(o, begin, end, task);
    for (auto unit = begin; unit < end; ++unit)
      units_.mode == Units::Mode::Plain   ? plain(o, unit, task)
      : units_.mode == Units::Mode::Layer ? layer(o, unit, task)
                                          : columns(o, unit, task);
  });
  std::fill(gammaSums.begin(), gammaSums.end(), 0.0);
  std::fill(betaSums.begin(), betaSums.end(), 0.0);
  for (std::size_t share = 0; share < units_.shares(); ++share)
    for (std::size_t i = 0; i < p; ++i) {
      gammaSums[i] += sums_[share * 2 * p + i];
      betaSums[i] += sums_[share * 2 * p + p + i];
    }
}

void UnitBackward::plain(const Operands &o, std::size_t unit, Task &task) {
  auto xView = units_.view(0, o.x, unit, 0, true), gView = units_.view(1, o.g, unit, 1, true);
  const ChannelRows x{xView.at, xView.channel, xView.row}, g{gView.at, gView.channel, gView.row};
  const PlaneShape shape{units_.channels, units_.repeat, units_.n};
  const float mean = o.mean[unit];
  const double isd = double(o.invStdDev[unit]), n = double(units_.perStatistic);
  auto *cells = reinterpret_cast<Sums *>(rows::scratch(4, 4 * shape.channels));
  float *scale = rows::scratch(5, shape.channels);
  planeProducts(shape, x, g, mean, cells);
  double sum = 0, product = 0;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    const auto p = units_.parameter(unit, c);
    task.betaSums[p] += cells[c].first;
    task.gammaSums[p] += cells[c].second * isd;
    sum += cells[c].first * double(o.gamma[p]);
    product += cells[c].second * double(o.gamma[p]);
    scale[c] = o.invStdDev[unit] * o.gamma[p];
  }
  if (!wantDx_)
    return;
  auto dx = units_.view(2, o.dx, unit, 2, false);
  planeGradient(shape, x, g, {dx.at, dx.channel, dx.row}, mean, scale,
                float(-isd * isd * isd * product / n), float(-isd * sum / n));
  units_.bringHome(2, o.dx, unit, dx);
}

void UnitBackward::matrix(const Operands &o, std::size_t begin, std::size_t end, Task &task) {
  constexpr std::size_t rows = 64; // that are summed in float
  const std::size_t n = units_.n;
  float *sums = wantParameters_ ? rows::scratch(3, 2 * n) : nullptr;
  for (auto first = begin; first < end; first += rows) {
    auto at = [&](const rows::Data &data, unsigned operand) {
      return data.floats() + std::int64_t(first) * units_.unitStride(operand);
    };
    if (sums)
      std::fill(sums, sums + 2 * n, 0.0f);
    layerBackward({std::min(rows, end - first), n}, {at(o.x, 0), units_.unitStride(0)},
                  {at(o.g, 1), units_.unitStride(1)},
                  {wantDx_ ? at(o.dx, 2) : nullptr, units_.unitStride(2)},
                  {o.mean + first, o.invStdDev + first, o.gamma, sums, sums ? sums + n : nullptr});
    for (std::size_t j = 0; sums && j < n; ++j) {
      task.gammaSums[j] += double(sums[j]);
      task.betaSums[j] += double(sums[n + j]);
    }
  }
}

void UnitBackward::layer(const Operands &o, std::size_t unit, Task &task) {
  auto x = units_.view(0, o.x, unit, 0, true), g = units_.view(1, o.g, unit, 1, true);
  const std::size_t n = units_.n, p = units_.parameter(unit, 0);
  Units::View dx{nullptr, 0, 0};
  if (wantDx_)
    dx = units_.view(2, o.dx, unit, 2, false);
  float *sums = wantParameters_ ? rows::scratch(3, 2 * n) : nullptr;
  if (sums)
    std::fill(sums, sums + 2 * n, 0.0f);
  layerBackward({1, n}, {x.at, 0}, {g.at, 0}, {dx.at, 0},
                {o.mean + unit, o.invStdDev + unit, o.gamma + p, sums, sums ? sums + n : nullptr});
  for (std::size_t j = 0; sums && j < n; ++j) {
    task.gammaSums[p + j] += double(sums[j]);
    task.betaSums[p + j] += double(sums[n + j]);
  }
  if (wantDx_)
    units_.bringHome(2, o.dx, unit, dx);
}

// Modes Batch and Channels: sums per column and channel; in mode Channels those of a group are
// added up.
void UnitBackward::columns(const Operands &o, std::size_t unit, Task &task) {
  auto x = units_.view(0, o.x, unit, 0, true), g = units_.view(1, o.g, unit, 1, true);
  const std::size_t w = units_.width(unit);
  const bool batch = units_.mode == Units::Mode::Batch;
  const std::size_t keys = batch ? w : units_.groups;
  auto key = [&](std::size_t j) { return batch ? j : std::size_t(units_.groupOf[j]); };
  double *sums = reinterpret_cast<double *>(rows::scratch(4, 4 * (w + keys)));
  double *products = sums + w, *sumOf = products + w, *productOf = sumOf + keys;
  float *means = rows::scratch(5, 4 * w), *a = means + w, *b = a + w, *c0 = b + w;
  for (std::size_t j = 0; j < w; ++j) {
    means[j] = o.mean[units_.statistic(unit, j)];
    a[j] = o.invStdDev[units_.statistic(unit, j)];
  }
  std::fill(sumOf, sumOf + 2 * keys, 0.0);
  const std::size_t high = std::max<std::size_t>(64, most / std::max<std::size_t>(1, w));
  for (std::size_t c = 0; c < units_.channels; ++c) {
    std::fill(sums, sums + 2 * w, 0.0);
    for (std::size_t r = 0; r < units_.repeat; r += high) {
      auto at = [&](const Units::View &v) {
        return In{v.at + std::int64_t(c) * v.channel + std::int64_t(r) * v.row, v.row};
      };
      productsByColumn({std::min(high, units_.repeat - r), w}, at(x), at(g), means, nullptr, sums,
                       products);
    }
    const std::size_t p = units_.parameter(unit, c), next = batch ? 0 : 1;
    for (std::size_t j = 0; j < w; ++j) {
      const double gamma = double(o.gamma[p + j * next]);
      task.betaSums[p + j * next] += sums[j];
      task.gammaSums[p + j * next] += products[j] * double(a[j]);
      sumOf[key(j)] += sums[j] * gamma;
      productOf[key(j)] += products[j] * gamma;
    }
  }
  if (!wantDx_)
    return;
  const double n = double(units_.perStatistic);
  for (std::size_t j = 0; j < w; ++j) {
    const double isd = double(a[j]);
    b[j] = float(-isd * isd * isd * productOf[key(j)] / n);
    c0[j] = float(-isd * sumOf[key(j)] / n);
  }
  auto dx = units_.view(2, o.dx, unit, 2, false);
  for (std::size_t c = 0; c < units_.channels; ++c) {
    auto at = [&](const Units::View &v) { return v.at + std::int64_t(c) * v.channel; };
    Value gamma{o.gamma[units_.parameter(unit, c)], batch ? nullptr : o.gamma};
    gradientBlock({units_.repeat, w}, {at(x), x.row}, {at(g), g.row}, {at(dx), dx.row},
                  {{0, means}, {0, a}, {0, b}, {0, c0}, gamma});
  }
  units_.bringHome(2, o.dx, unit, dx);
}

} // namespace poplin::norms
