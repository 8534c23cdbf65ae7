// SPDX-License-Identifier: MIT
#include "profile/Power.hpp"
#include <algorithm>

namespace poplar::profile {

using executable::PhaseKind;
namespace step = executable::step;

// Only the matrix unit does more than a vector operation in every cycle.
static bool usesMatrixUnit(const executable::Phase &phase, const arch::Chip &chip) {
  const auto vectorFlops = 2.0 * chip.dataPathBits / 16; // multiply and add, on halves
  double tileCycles = 0;
  for (const auto &share : phase.tiles)
    tileCycles += double(share.cycles) * share.count;
  return double(phase.flops) > vectorFlops * tileCycles;
}

arch::StepKind energyKind(const executable::Phase &phase, bool isCopy, const arch::Chip &chip) {
  switch (phase.kind) {
  case PhaseKind::Compute:
    return isCopy                        ? arch::StepKind::TileCopy
           : usesMatrixUnit(phase, chip) ? arch::StepKind::MatrixCompute
                                         : arch::StepKind::Compute;
  case PhaseKind::Exchange:
    return arch::StepKind::Exchange;
  case PhaseKind::GlobalExchange:
    return arch::StepKind::LinkExchange;
  case PhaseKind::HostExchange:
    return arch::StepKind::HostExchange;
  case PhaseKind::Sync:
  case PhaseKind::Control:
    break;
  }
  return arch::StepKind::Sync;
}

double activeShare(const executable::Phase &phase, std::uint32_t tiles) {
  double sum = 0;
  for (const auto &share : phase.tiles)
    sum += double(share.cycles) * share.count;
  const double all = double(phase.cycles) * tiles;
  return all > 0 ? std::min(1.0, sum / all) : 0;
}

double averageWatts(const executable::Image &image, const Recorder &recorder,
                    const arch::System &system) {
  arch::EnergyMeter meter(system);
  const unsigned replicas = std::max(1u, image.replicationFactor);
  const auto tiles = std::max(1u, system.ipus / replicas) * system.tilesPerIpu();
  for (std::size_t index = 0; index < recorder.totals().size(); ++index) {
    const auto &total = recorder.totals()[index];
    if (!total.executions || !total.cost)
      continue;
    const auto &step = image.steps[index];
    const bool computes = executable::is<step::Kernel>(step) || executable::is<step::Execute>(step);
    for (const auto &phase : total.cost->phases)
      meter.add(energyKind(phase, !computes, system.chip), total.executions * phase.cycles,
                activeShare(phase, tiles));
  }
  return meter.averageWatts() / std::max(1u, system.ipus);
}

} // namespace poplar::profile
