// SPDX-License-Identifier: MIT
// Norms unit by unit (NormUnits.hpp): statistics and normalisation, or sums and gradients, follow
// each other while the unit is in cache.
#pragma once
#include "NormLoops.hpp"
#include "NormUnits.hpp"

namespace poplin::norms {

class UnitForward {
public:
  // `y` may be null: statistics only.
  UnitForward(NormGroups groups, const openipu::KernelOperand &x, const openipu::KernelOperand *y,
              float eps, bool unbiased);
  struct Operands {
    rows::Data x, y;
    const float *gamma, *beta;
    bool halfStatistics; // they are rounded before they are used, as they are stored
  };
  void run(const Operands &operands);
  std::vector<float> mean, invStdDev; // results

private:
  void plain(const Operands &o, std::size_t unit);
  void matrix(const Operands &o, std::size_t begin, std::size_t end);
  void layer(const Operands &o, std::size_t unit);
  void columns(const Operands &o, std::size_t unit);
  void normaliseColumns(const Operands &o, std::size_t unit, const Units::View &x);
  void settle(const Operands &o, std::size_t statistic, double centre, double squares);
  Units units_;
  bool normalise_;
  double eps_, inverseCount_;
};

class UnitBackward {
public:
  // `dx` may be null: sums for the parameters only.
  UnitBackward(NormGroups groups, const openipu::KernelOperand &x, const openipu::KernelOperand &g,
               const openipu::KernelOperand *dx, bool wantParameters);
  struct Operands {
    rows::Data x, g, dx;
    const float *mean, *invStdDev, *gamma; // gamma: or null
  };
  void run(const Operands &operands);
  std::vector<double> gammaSums, betaSums; // results, if wanted

private:
  struct Task;
  void plain(const Operands &o, std::size_t unit, Task &task);
  void matrix(const Operands &o, std::size_t begin, std::size_t end, Task &task);
  void layer(const Operands &o, std::size_t unit, Task &task);
  void columns(const Operands &o, std::size_t unit, Task &task);
  Units units_;
  bool wantDx_, wantParameters_;
  std::vector<double> sums_; // per share: gamma's, beta's
  std::vector<float> ones_;
};

} // namespace poplin::norms
