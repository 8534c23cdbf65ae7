// SPDX-License-Identifier: MIT
// What the matrix unit (AMP) costs on one tile: a worker's loop over positions, loading a set of
// weights, and a whole product put together from them. Vertices of PopLibs are priced with these,
// and the calibration rows check the same figures.
#pragma once
#include "arch/Chip.hpp"

namespace arch {

enum class AmpInput : std::uint8_t { Quarter, Half, Float };
enum class Interleave { No, Yes };

// What is multiplied, what the sums are kept in, and how many of the units work.
struct AmpUse {
  AmpInput input = AmpInput::Half;
  bool floatPartials = false;
  unsigned units = 0;
};

// Bundles of a worker until three positions are through, and for each further one: the inputs that
// meet a unit's weights, so many per cycle.
unsigned ampFirstBundles(const Chip &chip, AmpInput input);
unsigned ampNextBundles(const Chip &chip, AmpInput input);

// A worker with so many positions. `begins`: it starts sums, instead of adding to those in memory.
std::uint64_t ampWorkerBundles(const Chip &chip, const AmpUse &use, std::uint64_t positions,
                               bool begins);

// Supervisor cycles to load the weights of so many units; Interleave::Yes: from interleaved memory,
// by the wide loads.
Cycles ampLoadCycles(const Chip &chip, unsigned units, Interleave weights);

// A product: in each of `groups`, the positions meet inputs and outputs group by group. A group of
// outputs takes so many passes of the units.
struct AmpProduct {
  AmpUse use;
  Cycles load = 0; // of one set of weights
  std::uint64_t positions = 0;
  unsigned groups = 1, inputGroups = 1, outputGroups = 1, passes = 1;
};
Cycles ampCycles(const Chip &chip, const AmpProduct &product);

// One further group of inputs, when the workers take `inner` cycles in every pass.
Cycles ampInputGroupCycles(const Chip &chip, const AmpProduct &product, Cycles inner);

} // namespace arch
