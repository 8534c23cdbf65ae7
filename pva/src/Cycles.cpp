// SPDX-License-Identifier: MIT
#include "pva/Cycles.hpp"
#include <algorithm>
#include <numeric>

namespace pva {

const char *toString(CycleKind kind) {
  constexpr const char *names[] = {"compute", "exchange", "globalExchange",
                                   "host",    "sync",     "control"};
  return names[unsigned(kind)];
}

CycleKind cycleKind(Program::Type type) {
  using Type = Program::Type;
  switch (type) {
  case Type::OnTileExecute:
    return CycleKind::Compute;
  case Type::DoExchange:
    return CycleKind::Exchange;
  case Type::GlobalExchange:
    return CycleKind::GlobalExchange;
  case Type::StreamCopyBegin:
  case Type::StreamCopyMid:
  case Type::StreamCopyEnd:
    return CycleKind::Host;
  case Type::Sync:
  case Type::Sans:
  case Type::SyncAns:
    return CycleKind::Sync;
  default:
    return CycleKind::Control;
  }
}

void CyclesByKind::add(Program::Type type, std::uint64_t cycles) {
  cycles_[unsigned(cycleKind(type))] += cycles;
}
std::uint64_t CyclesByKind::total() const {
  return std::accumulate(std::begin(cycles_), std::end(cycles_), std::uint64_t(0));
}

CyclesByKind cyclesByKind(const std::vector<ExecutionStep> &steps) {
  CyclesByKind sum;
  for (const auto &step : steps) {
    std::uint64_t cycles = 0;
    for (const auto &ipu : step.ipus())
      cycles = std::max(cycles, ipu.cycles());
    sum.add(step.program()->type(), cycles);
  }
  return sum;
}

CyclesByKind cyclesByKind(const std::vector<ProgramTotal> &totals) {
  CyclesByKind sum;
  for (const auto &total : totals)
    sum.add(total.program()->type(), total.cycles());
  return sum;
}

} // namespace pva
