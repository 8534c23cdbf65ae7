// SPDX-License-Identifier: MIT
// Compute time of the matrix unit: counts of the published kernels (PL), on the units of a chip.
#include "arch/MatrixUnit.hpp"
#include <algorithm>

namespace arch {
namespace {

// Kernels for more units than the first generation has keep the unit's state between calls, as do
// those with float sums of halves.
bool isWide(const AmpUse &use) { return use.units > 8; }
bool keepsState(const AmpUse &use) {
  return use.input == AmpInput::Half && (isWide(use) || use.floatPartials);
}

std::int64_t keptBundles(const Chip &chip, std::int64_t n, bool begins) {
  const std::int64_t first = ampFirstBundles(chip, AmpInput::Half), less = 7 + begins;
  switch (n) {
  case 0:
    return 22 - less; // enters and leaves
  case 1:
    return first - 5 - less;
  case 2:
    return first + 4 - less;
  default:
    return first + ampNextBundles(chip, AmpInput::Half) * (n - 3) - less;
  }
}

std::int64_t quarterBundles(const Chip &chip, std::int64_t n, bool begins) {
  const std::int64_t first = ampFirstBundles(chip, AmpInput::Quarter) - (begins ? 5 : 0);
  switch (n) {
  case 0:
    return 21;
  case 1:
    return first - 9;
  case 2:
    return first - 4;
  default:
    return first + ampNextBundles(chip, AmpInput::Quarter) * (n - 3);
  }
}

// Sums that begin are stored as zeros first.
std::int64_t plainBundles(const Chip &chip, const AmpUse &use, std::int64_t n, bool begins) {
  if (n == 0)
    return 24;
  const bool half = use.input == AmpInput::Half;
  const std::int64_t sumBytes = use.floatPartials ? 4 : 2;
  const auto zeros = std::int64_t(ceilDiv(use.units * sumBytes, chip.pathBytes()));
  const std::int64_t extra = half ? std::min<std::int64_t>(n, 3) : n == 1;
  return ampFirstBundles(chip, use.input) + extra + (begins ? 2 + zeros * n : 0) +
         ampNextBundles(chip, use.input) * std::max<std::int64_t>(n - 3, 0);
}

Cycles innerCycles(const Chip &chip, const AmpProduct &p, bool begins) {
  const auto bundles = [&](std::uint64_t n) { return ampWorkerBundles(chip, p.use, n, begins); };
  return std::max(chip.onWorkers(bundles(chip.workerShare(p.positions))),
                  chip.onWorkers(bundles(p.positions / chip.workers)) + 14);
}

// Slow supervisor instructions (branches, uses of a value just loaded) take a turn of all slots.
Cycles quarterCycles(const Chip &chip, const AmpProduct &p) {
  const Cycles turn = chip.workers;
  const auto first = 14 * turn + 11 + 36 + p.load + innerCycles(chip, p, true);
  const auto next = 11 * turn + 6 + 36 + p.load + innerCycles(chip, p, false);
  return 46 + p.groups * (2 * turn + 9 +
                          p.outputGroups * (6 * turn + 10 + first + (p.inputGroups - 1) * next));
}

// A kernel that keeps its state, or has float sums, spends a cycle less on a group of inputs.
unsigned saved(const AmpUse &use) {
  return use.floatPartials || (use.input == AmpInput::Half && isWide(use)) ? 1 : 0;
}

} // namespace

unsigned ampFirstBundles(const Chip &chip, AmpInput input) {
  const auto &amp = chip.amp;
  return input == AmpInput::Float  ? amp.floatFirst
         : input == AmpInput::Half ? amp.halfFirst
                                   : amp.quarterFirst;
}

unsigned ampNextBundles(const Chip &chip, AmpInput input) {
  const auto &amp = chip.amp;
  const bool isFloat = input == AmpInput::Float, half = input == AmpInput::Half;
  const unsigned perCycle = std::max(1u, isFloat ? amp.floatInputsPerCycle
                                         : half  ? amp.halfInputsPerCycle
                                                 : amp.quarterInputsPerCycle);
  const unsigned inputs = amp.weightBytesPerUnit >> (isFloat ? 2 : half ? 1 : 0);
  return (inputs + perCycle - 1) / perCycle;
}

std::uint64_t ampWorkerBundles(const Chip &chip, const AmpUse &use, std::uint64_t positions,
                               bool begins) {
  const auto n = std::int64_t(positions);
  const auto bundles = use.input == AmpInput::Quarter ? quarterBundles(chip, n, begins)
                       : keepsState(use)              ? keptBundles(chip, n, begins)
                                                      : plainBundles(chip, use, n, begins);
  return std::uint64_t(std::max<std::int64_t>(bundles, 1));
}

Cycles ampLoadCycles(const Chip &chip, unsigned units, Interleave weights) {
  const auto &amp = chip.amp;
  return ceilDiv(std::uint64_t(units) * amp.weightBytesPerUnit,
                 weights == Interleave::Yes ? amp.interleavedWeightLoadBytesPerCycle
                                            : amp.weightLoadBytesPerCycle);
}

Cycles ampInputGroupCycles(const Chip &chip, const AmpProduct &p, Cycles inner) {
  const auto &amp = chip.amp;
  return amp.inputGroupCycles +
         p.outputGroups * (amp.outputGroupCycles + p.passes * (amp.passCycles + p.load + inner)) -
         saved(p.use);
}

Cycles ampCycles(const Chip &chip, const AmpProduct &p) {
  if (p.positions == 0 || p.groups == 0 || p.inputGroups == 0 || p.outputGroups == 0)
    return 0;
  if (p.use.input == AmpInput::Quarter)
    return quarterCycles(chip, p);
  const auto &amp = chip.amp;
  const Cycles kept = keepsState(p.use) ? 7 + 3ull * (p.inputGroups * p.groups - 1) : 0;
  const auto next = ampInputGroupCycles(chip, p, innerCycles(chip, p, false));
  const auto pass = amp.passCycles + 1 + p.load + innerCycles(chip, p, true);
  const auto first = 11 + p.outputGroups * (amp.outputGroupCycles + p.passes * pass - saved(p.use));
  return amp.startCycles + chip.onWorkers(kept) +
         p.groups * (12 + saved(p.use) + (p.inputGroups - 1) * next + first);
}

} // namespace arch
