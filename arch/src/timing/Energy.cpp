// SPDX-License-Identifier: MIT
// Power is idle power plus what each unit adds by its utilisation; energy adds up over steps.
#include "arch/Energy.hpp"
#include <numeric>

namespace arch {

double watts(const Chip &chip, const Utilisation &use) {
  const auto &p = chip.power;
  return p.idleWatts + p.ampWatts * use.amp + p.vectorWatts * use.vector +
         p.memoryWatts * use.memory + p.exchangeWatts * use.exchange;
}

std::string toString(StepKind kind) {
  static const char *names[stepKinds] = {"compute", "matrix compute", "tile copy",    "exchange",
                                         "sync",    "link exchange",  "host exchange"};
  return names[unsigned(kind)];
}

Utilisation utilisationOf(StepKind kind, double active) {
  // 4 bytes in and 4 out of the 24 that memory could do.
  const double exchangeMemory = 8.0 / 24;
  switch (kind) {
  case StepKind::Compute:
    return {.vector = active, .memory = active};
  case StepKind::MatrixCompute:
    return {.amp = active, .memory = active};
  case StepKind::TileCopy:
    return {.memory = active * 16.0 / 24}; // 8 bytes loaded and 8 stored
  case StepKind::Exchange:
  case StepKind::LinkExchange:
  case StepKind::HostExchange:
    return {.memory = active * exchangeMemory, .exchange = active};
  case StepKind::Sync:
    break;
  }
  return {};
}

void EnergyMeter::add(StepKind kind, Cycles cycles, double active) {
  add(kind, cycles, utilisationOf(kind, active));
}

void EnergyMeter::add(StepKind kind, Cycles cycles, const Utilisation &use) {
  const double seconds = system_.chip.seconds(cycles);
  joules_[unsigned(kind)] += system_.ipus * watts(system_.chip, use) * seconds;
  seconds_ += seconds;
}

double EnergyMeter::joules() const { return std::accumulate(joules_, joules_ + stepKinds, 0.0); }
double EnergyMeter::averageWatts() const { return seconds_ > 0 ? joules() / seconds_ : 0; }
double EnergyMeter::machineJoules() const { return joules() + system_.watts(0) * seconds_; }

} // namespace arch
