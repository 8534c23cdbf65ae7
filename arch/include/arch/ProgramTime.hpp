// SPDX-License-Identifier: MIT
// Putting steps together. Compute, sync and exchange of a step do not overlap; loops add control,
// pipelines run at the pace of their slowest stage, tiles reserved for input and output hide
// transfers behind compute.
#pragma once
#include "arch/System.hpp"
#include <span>

namespace arch {

struct StepTime {
  Cycles compute = 0, sync = 0, exchange = 0;
  Cycles total() const { return compute + sync + exchange; }
};

Cycles loopCycles(const System &system, Cycles body, std::uint64_t iterations);
// A scalar reaches every tile, then all branch: what deciding costs, without the branch taken.
Cycles conditionCycles(const System &system);
// stageCycles[i] runs on ipuOfStage[i]; stages of one IPU add up. Fill and drain take stages - 1
// beats.
Cycles pipelineCycles(std::span<const Cycles> stageCycles, std::span<const unsigned> ipuOfStage,
                      std::uint64_t batches);
// Transfers on I/O tiles run beside compute.
constexpr Cycles overlapped(Cycles compute, Cycles transfer) {
  return compute > transfer ? compute : transfer;
}

} // namespace arch
