// SPDX-License-Identifier: MIT
// Power of an IPU from what its units do, and energy of a step. Utilisation is a fraction of a
// unit's peak over all tiles; a unit that idles costs nothing beyond the chip's idle power.
#pragma once
#include "arch/System.hpp"

namespace arch {

struct Utilisation {
  double amp = 0, vector = 0, memory = 0, exchange = 0;
};

double watts(const Chip &chip, const Utilisation &use);

enum class StepKind {
  Compute,
  MatrixCompute,
  TileCopy,
  Exchange,
  Sync,
  LinkExchange,
  HostExchange
};
constexpr unsigned stepKinds = 7;
std::string toString(StepKind kind);

// What a step of this kind keeps busy when `active` of all tiles (or, for exchange, of all exchange
// lanes) work.
Utilisation utilisationOf(StepKind kind, double active);

// Joules by kind of step; add() as steps run.
class EnergyMeter {
public:
  explicit EnergyMeter(System system) : system_(std::move(system)) {}
  void add(StepKind kind, Cycles cycles, double active);
  void add(StepKind kind, Cycles cycles, const Utilisation &use);
  double joules(StepKind kind) const { return joules_[unsigned(kind)]; }
  double joules() const; // all IPUs
  double seconds() const { return seconds_; }
  double averageWatts() const;  // 0 before anything ran
  double machineJoules() const; // with gateways, DRAM and fans

private:
  System system_;
  double joules_[stepKinds] = {};
  double seconds_ = 0;
};

} // namespace arch
