// SPDX-License-Identifier: MIT
// What an operator would take on the tiles: a list of supersteps, each of them an exchange and then
// vertices, told by ranges of tiles that do alike. The numbers are the operator's; what an
// exchange of so many bytes or a sync costs is the machine model's (arch/), applied when the
// operation is added to a program.
#pragma once
#include "poplar/Target.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace poplar::openipu {

// `count` consecutive tiles of the graph, each with this work in one superstep. All numbers are per
// tile.
struct TileWork {
  unsigned tile = 0, count = 1;
  std::uint64_t cycles = 0;                // vertices: supervisor and the slowest worker's turns
  std::uint64_t bytesIn = 0, bytesOut = 0; // exchanged before the vertices run; a payload that
                                           // goes to many tiles leaves once
  std::uint32_t messagesIn = 0, messagesOut = 0; // 0: one, if there are bytes
  bool pairSharesInput = false;                  // tiles 2i and 2i+1 take the same stream
  std::uint64_t tempBytes = 0; // beside variables and arrived messages: partials, copies
  std::uint32_t vertices = 1;
  std::uint32_t stateBytes = 0; // of all these vertices
  std::uint32_t kind = 0;       // of vertex: Superstep::vertexOf
  bool operator==(const TileWork &) const = default;
};

// What goes from one IPU to another before the vertices run. IPUs are told by any of their tiles.
struct Crossing {
  unsigned fromTile = 0, toTile = 0;
  std::uint64_t bytes = 0, pieces = 1;
  bool operator==(const Crossing &) const = default;
};

struct Superstep {
  std::string name;   // behind the operation's own name: "Convolve", "ReduceOnTile"
  std::string vertex; // type of its vertices as PopLibs calls it; counted as code once per tile
  std::vector<TileWork> tiles; // ascending, disjoint
  std::uint64_t flops = 0;     // all tiles
  // Operands (indices of Operation::uses) that must be where another operand is before the vertices
  // run: element-wise work computes where the output lies. Their exchange is worked out exactly
  // from the tile mappings, on top of bytesIn and bytesOut.
  struct Need {
    unsigned from, to;
  };
  std::vector<Need> needs;
  std::uint32_t repeats = 1; // serial splits: the superstep is done so many times
  // Traffic between replicas, before the vertices run: a ring over `replicas` groups of IPUs, each
  // with `bytes` of the whole tensor.
  struct Ring {
    enum Kind : std::uint8_t { None, AllReduce, ReduceScatter, AllGather } kind = None;
    std::uint64_t bytes = 0;
    unsigned replicas = 1;
  } ring;
  std::vector<Crossing> crossings;
  // Where tiles run several types of vertices side by side: those of kind 1, 2, ...
  std::vector<std::string> otherVertices = {};
  const std::string &vertexOf(const TileWork &work) const {
    return work.kind ? otherVertices.at(work.kind - 1) : vertex;
  }
};

struct Plan {
  std::vector<Superstep> steps;
  void add(Superstep step) { steps.push_back(std::move(step)); }
  void append(Plan other) {
    for (auto &step : other.steps)
      steps.push_back(std::move(step));
  }
};

// Cycles of the whole plan on this target: compute, sync and exchange, without `needs` (they want a
// graph). The same model as the profile's.
std::uint64_t cyclesOf(const Plan &plan, const poplar::Target &target);

// Cycles of one barrier between tiles of an IPU, and of an exchange in which the busiest tile takes
// and gives so much: for searches that compare plans.
std::uint64_t syncCycles(const poplar::Target &target);
std::uint64_t exchangeCycles(const poplar::Target &target, std::uint64_t bytesIn,
                             std::uint64_t bytesOut, std::uint32_t messagesIn = 1,
                             std::uint32_t messagesOut = 1, bool pairSharesInput = false);
// The same between IPUs, with the sync of all of them.
std::uint64_t crossingCycles(const poplar::Target &target, const std::vector<Crossing> &crossings);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
