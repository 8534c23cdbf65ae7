// SPDX-License-Identifier: MIT
// Compute time of the matrix unit: counts of the published kernels (PL), on the units of a chip.
#include "arch/MatrixUnit.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>

namespace arch {
namespace {

// Kernels for more units than the first generation has keep the unit's state between calls, as do
// those with float sums of halves.
bool isWide(const AmpUse &use) { return use.units > 8; }
bool keepsState(const AmpUse &use) {
  return use.input == AmpInput::Half && (isWide(use) || use.floatPartials);
}

// A worker's loop over its positions, with the chip's figures at hand: planners ask again and
// again.
class Loop {
public:
  Loop(const Chip &chip, const AmpUse &use)
      : input_(use.input), kept_(keepsState(use)), first_(ampFirstBundles(chip, use.input)),
        next_(ampNextBundles(chip, use.input)),
        zeros_((use.units * (use.floatPartials ? 4 : 2) + chip.pathBytes() - 1) /
               chip.pathBytes()) {}

  std::uint64_t bundles(std::uint64_t positions, bool begins) const {
    const auto n = std::int64_t(positions);
    const auto all = input_ == AmpInput::Quarter ? quarters(n, begins)
                     : kept_                     ? kept(n, begins)
                                                 : plain(n, begins);
    return std::uint64_t(std::max<std::int64_t>(all, 1));
  }

private:
  std::int64_t more(std::int64_t n) const { return n > 3 ? next_ * (n - 3) : 0; }
  std::int64_t kept(std::int64_t n, bool begins) const {
    if (n == 0)
      return 22 - 7 - begins; // enters and leaves
    return first_ + (n == 1 ? -5 : n == 2 ? 4 : 0) + more(n) - 7 - begins;
  }
  std::int64_t quarters(std::int64_t n, bool begins) const {
    if (n == 0)
      return 21;
    return first_ + (n == 1 ? -9 : n == 2 ? -4 : 0) + more(n) - (begins ? 5 : 0);
  }
  // Sums that begin are stored as zeros first.
  std::int64_t plain(std::int64_t n, bool begins) const {
    if (n == 0)
      return 24;
    const std::int64_t extra = input_ == AmpInput::Half ? std::min<std::int64_t>(n, 3) : n == 1;
    return first_ + extra + (begins ? 2 + zeros_ * n : 0) + more(n);
  }

  AmpInput input_;
  bool kept_;
  std::int64_t first_, next_, zeros_;
};

// All workers through one pass: shares differ by one position.
struct Inner {
  Cycles begins, goesOn;
  Inner(const Chip &chip, const AmpProduct &p) {
    const Loop loop(chip, p.use);
    const auto least = p.positions / chip.workers;
    const auto most = least + (p.positions % chip.workers != 0);
    const auto cycles = [&](bool begins) {
      return std::max(chip.onWorkers(loop.bundles(most, begins)),
                      chip.onWorkers(loop.bundles(least, begins)) + 14);
    };
    begins = cycles(true);
    goesOn = cycles(false);
  }
};

// Slow supervisor instructions (branches, uses of a value just loaded) take a turn of all slots.
Cycles quarterCycles(const Chip &chip, const AmpProduct &p, const Inner &inner) {
  const Cycles turn = chip.workers;
  const auto first = 14 * turn + 11 + 36 + p.load + inner.begins;
  const auto next = 11 * turn + 6 + 36 + p.load + inner.goesOn;
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
  return base::ceilDiv(inputs, perCycle);
}

std::uint64_t ampWorkerBundles(const Chip &chip, const AmpUse &use, std::uint64_t positions,
                               bool begins) {
  return Loop(chip, use).bundles(positions, begins);
}

Cycles ampLoadCycles(const Chip &chip, unsigned units, Interleave weights) {
  const auto &amp = chip.amp;
  return base::ceilDiv(std::uint64_t(units) * amp.weightBytesPerUnit,
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
  const Inner inner(chip, p);
  if (p.use.input == AmpInput::Quarter)
    return quarterCycles(chip, p, inner);
  const auto &amp = chip.amp;
  const Cycles kept = keepsState(p.use) ? 7 + 3ull * (p.inputGroups * p.groups - 1) : 0;
  const auto next = ampInputGroupCycles(chip, p, inner.goesOn);
  const auto pass = amp.passCycles + 1 + p.load + inner.begins;
  const auto first = 11 + p.outputGroups * (amp.outputGroupCycles + p.passes * pass - saved(p.use));
  return amp.startCycles + chip.onWorkers(kept) +
         p.groups * (12 + saved(p.use) + (p.inputGroups - 1) * next + first);
}

} // namespace arch
