// SPDX-License-Identifier: MIT
// How a tensor that is to be reduced lies on the tiles: what each tile holds, and to how many
// outputs that contributes.
#pragma once
#include "openipu/Placement.hpp"
#include "poplar/Graph.hpp"
#include <cstdint>
#include <vector>

namespace popops::reduction {

struct Share {
  unsigned tile;
  std::uint64_t elements, outputs;
  std::uint32_t regions;
};

struct Spread {
  std::vector<Share> shares;   // ascending by tile
  std::uint64_t outputs = 1;   // of the whole reduction
  bool innerReduced = false;   // the dimension with the shortest stride is reduced
  bool regular = true;         // and that stride is 1
  std::vector<unsigned> order; // dimensions of the input in the order of memory, outermost first
  // Where the outputs lie if they stay with the input: flat intervals of the dimensions that stay,
  // in the order of memory. Empty if an output's values are on several tiles.
  std::vector<std::vector<poplar::Interval>> home;

  std::uint64_t partials() const;
  std::uint64_t sources() const; // tiles that contribute to one output
};

Spread spreadOf(const poplar::Graph &graph, const poplar::Tensor &in,
                const std::vector<bool> &reduced);

} // namespace popops::reduction
