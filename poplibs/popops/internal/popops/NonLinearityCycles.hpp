// SPDX-License-Identifier: MIT
// Tile cycles of the NonLinearity vertices, for all libraries that plan with them: n elements in
// `regions` stretches of memory, `width` of them in a vector.
#pragma once
#include "arch/Chip.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <cstdint>
#include <poplar/Type.hpp>

namespace popops::cost {

struct NonLinearityLoop {
  unsigned op, vec; // cycles: of one element's work, of a further vector
};

// The approximation by tanh.
inline NonLinearityLoop geluLoop(bool half) {
  return half ? NonLinearityLoop{5, 5} : NonLinearityLoop{10, 10};
}

// x * sigmoid(x)
inline NonLinearityLoop swishLoop(bool half) {
  return half ? NonLinearityLoop{3, 5} : NonLinearityLoop{6, 11};
}

// One worker's loop over n elements: `first` for the first and last vector, and what is left over.
inline std::uint64_t loopCycles(std::uint64_t n, unsigned width, NonLinearityLoop inner,
                                unsigned first) {
  auto vectors = n / width, rest = n % width;
  std::uint64_t cycles = vectors ? first + (vectors - 1) * inner.vec : 0;
  return cycles + (rest ? 2 + inner.op : 0);
}

inline std::uint64_t nonLinearityCycles(const arch::Chip &chip, std::uint64_t n, unsigned regions,
                                        unsigned width, NonLinearityLoop inner, unsigned first) {
  if (regions <= 1) {
    auto vectors = base::ceilDiv(n, width); // shared by vectors; one worker has the rest
    auto perWorker = chip.workerShare(vectors) * width;
    return 9 + chip.onWorkers(20 + loopCycles(std::min(perWorker, n), width, inner, first));
  }
  auto perRegion = base::ceilDiv(n, regions);
  return chip.onWorkers(14 + chip.workerShare(regions) *
                                 (9 + loopCycles(perRegion, width, inner, first)));
}

inline unsigned vectorWidth(const arch::Chip &chip, const poplar::Type &type) {
  return chip.vectorWidth(type == poplar::HALF ? 2 : 4);
}

// The whole of a vertex with such a loop.
inline std::uint64_t forwardCycles(const arch::Chip &chip, const poplar::Type &type,
                                   std::uint64_t n, unsigned regions, NonLinearityLoop inner) {
  return nonLinearityCycles(chip, n, regions, vectorWidth(chip, type), inner, 3 + 2 * inner.op);
}
inline std::uint64_t geluCycles(const arch::Chip &chip, const poplar::Type &type, std::uint64_t n,
                                unsigned regions) {
  return forwardCycles(chip, type, n, regions, geluLoop(type == poplar::HALF));
}
inline std::uint64_t swishCycles(const arch::Chip &chip, const poplar::Type &type, std::uint64_t n,
                                 unsigned regions) {
  return forwardCycles(chip, type, n, regions, swishLoop(type == poplar::HALF));
}

} // namespace popops::cost
