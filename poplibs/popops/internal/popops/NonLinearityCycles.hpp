// SPDX-License-Identifier: MIT
// Tile cycles of the NonLinearity vertices, for all libraries that plan with them: n elements in
// `regions` stretches of memory, `width` of them in a vector.
#pragma once
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

inline std::uint64_t nonLinearityCycles(std::uint64_t n, unsigned regions, unsigned width,
                                        NonLinearityLoop inner, unsigned first) {
  constexpr unsigned workers = 6;
  if (regions <= 1) {
    auto vectors = (n + width - 1) / width; // shared by vectors; one worker has the rest
    auto perWorker = (vectors + workers - 1) / workers * width;
    return 9 + workers * (20 + loopCycles(std::min(perWorker, n), width, inner, first));
  }
  auto regionsOfWorker = (regions + workers - 1) / workers;
  auto perRegion = (n + regions - 1) / regions;
  return workers * (14 + regionsOfWorker * (9 + loopCycles(perRegion, width, inner, first)));
}

// The whole of a vertex with such a loop.
inline std::uint64_t forwardCycles(const poplar::Type &type, std::uint64_t n, unsigned regions,
                                   NonLinearityLoop inner) {
  return nonLinearityCycles(n, regions, type == poplar::HALF ? 4 : 2, inner, 3 + 2 * inner.op);
}
inline std::uint64_t geluCycles(const poplar::Type &type, std::uint64_t n, unsigned regions) {
  return forwardCycles(type, n, regions, geluLoop(type == poplar::HALF));
}
inline std::uint64_t swishCycles(const poplar::Type &type, std::uint64_t n, unsigned regions) {
  return forwardCycles(type, n, regions, swishLoop(type == poplar::HALF));
}

} // namespace popops::cost
