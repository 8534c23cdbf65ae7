// SPDX-License-Identifier: MIT
// What one execution of a step costs on the device: stretches of computing, exchanging or waiting.
#pragma once
#include "executable/SharedList.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace poplar::executable {

enum class PhaseKind : std::uint8_t {
  Compute,
  Exchange,
  GlobalExchange,
  HostExchange,
  Sync,
  Control
};
inline const char *nameOf(PhaseKind kind) {
  constexpr const char *names[] = {"compute",       "exchange", "global exchange",
                                   "host exchange", "sync",     "control"};
  return names[unsigned(kind)];
}

struct TileShare {
  std::uint32_t tile;
  std::uint64_t cycles;           // of this tile within the phase
  std::uint64_t busyThreadCycles; // compute: sum over worker contexts, for thread balance
  std::uint64_t bytesIn, bytesOut;
  std::uint32_t count = 1;      // consecutive tiles, each with these numbers
  std::uint32_t vertices = 0;   // of an operator, on each of the tiles
  std::uint32_t codeBytes = 0;  // exchanges: their instructions on each of the tiles
  std::uint32_t vertexKind = 0; // of an operator: Phase::vertexOf
  bool operator==(const TileShare &) const = default;
  std::uint64_t mix(std::uint64_t hash) const {
    for (std::uint64_t number :
         {std::uint64_t(tile) << 32 | count, cycles, busyThreadCycles, bytesIn, bytesOut,
          std::uint64_t(vertices) << 32 | codeBytes, std::uint64_t(vertexKind)})
      hash = mixed(hash, number);
    return hash;
  }
};

// One stretch of a step: all tiles compute, or exchange, or wait. `tiles` lists the active tiles in
// order.
struct Phase {
  PhaseKind kind;
  std::string name;         // "copy-in", "exchange-in", the compute set's name, ...
  std::uint64_t cycles = 0; // of the slowest tile
  std::uint64_t bytes = 0;  // moved between tiles, links or the host
  std::uint64_t messages = 0;
  SharedList<TileShare> tiles;
  std::string vertex = {}; // what an operator's vertices would be called
  std::uint64_t flops = 0;
  std::uint32_t superstep = 0; // of an operator's plan; for the passes, not part of files
  std::vector<std::string> otherVertices = {}; // those of vertexKind 1, 2, ...
  const std::string &vertexOf(const TileShare &share) const {
    return share.vertexKind ? otherVertices.at(share.vertexKind - 1) : vertex;
  }
};
struct Cost {
  std::vector<Phase> phases;
  bool measured = true; // false while a vertex's cycles are still to be counted by the engine
  std::uint64_t cycles() const {
    std::uint64_t sum = 0;
    for (const auto &phase : phases)
      sum += phase.cycles;
    return sum;
  }
};

} // namespace poplar::executable
