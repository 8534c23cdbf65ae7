// SPDX-License-Identifier: MIT
// What one candidate plan costs: the phases it runs, in order. The search adds them up and
// supersteps() turns the same phases into tile work, so estimate and profile agree.
#pragma once
#include "Problem.hpp"
#include "Vertices.hpp"
#include <array>

namespace poplin {

// The figures of a target that the search asks for again and again.
struct Machine {
  explicit Machine(const poplar::Target &target);
  unsigned tiles, bytesPerTile, tilesPerBus;
  std::uint64_t elementBytes; // smallest memory element
  const arch::Chip &chip;
  std::uint64_t sync, route, launch;
  double laneBytesPerCycle;
};

// A vertex type and its grains.
struct Variant {
  Method method = Method::AMP;
  unsigned convGroupsPerGroup = 1, inChansPerGroup = 1, partialChansPerGroup = 1;
  unsigned convUnits = 0, filterHeight = 1, loadCycles = 0, chains = 0;
};

enum class PhaseKind : std::uint8_t {
  BroadcastInput,
  DynamicSlice,
  Arrange, // inputs copied to the order that the vertex reads
  Convolve,
  CastPartials,
  Reduce,
  Finish, // cast to the output's type
  Gather,
  AddInPlace,
  DynamicUpdate,
  RegroupWeights
};

// Exchange, then vertices, on every tile alike.
struct Phase {
  PhaseKind kind;
  std::uint64_t cycles = 0; // of the vertices
  // Per tile; a stream that both tiles of a pair take counts half, because it moves twice as fast.
  std::uint64_t bytesIn = 0, bytesOut = 0;
  std::uint64_t tempBytes = 0; // what the vertices work on: the planner's measure of memory
  unsigned repeats = 1, stage = 0;
  std::uint64_t inPlaceBytes = 0; // of these, what lies in the operands' or the result's variables
};

constexpr unsigned maxDims = 8;

// One tile's part, the largest of all.
struct Slice {
  std::uint64_t convGroups = 1, inGroups = 1, outGroups = 1, batch = 1; // groups of channels
  std::array<unsigned, maxDims> out{}, kernel{}, in{}, ownIn{};
  std::uint64_t outputs = 1, inputs = 1, ownInputs = 1, kernelElements = 1; // of the field
  bool halo = false; // inputs of one tile are also inputs of its neighbour
};

struct Cost {
  std::uint64_t cycles = 0, tempBytes = 0;
};

struct Candidate {
  const Machine &machine;
  const Problem &problem;
  const ConvOptions &options;
  const Variant &variant;
  const ConvPartition &partition;

  Slice slice() const;
  std::uint64_t vertexCycles(const Slice &slice) const; // of the convolution itself
  Cost cost() const;
  std::vector<Phase> phases() const;
  std::string vertexName(const Phase &phase) const;
};

// Depths of the stages in which so many partial results are summed: at most three.
struct Stages {
  std::array<unsigned, 3> depth{};
  unsigned count = 0;
};
Stages reduceStages(unsigned partials, bool multiStage);

inline std::uint64_t cyclesOf(const Machine &m, const Phase &p) {
  const auto bytes = std::max(p.bytesIn, p.bytesOut);
  const auto exchange =
      bytes ? m.sync + m.route +
                  std::uint64_t(double((bytes + 3) / 4 * 4) / m.laneBytesPerCycle + 0.999)
            : 0;
  return p.repeats * (exchange + (p.cycles ? p.cycles + m.launch : 0));
}

} // namespace poplin
