// SPDX-License-Identifier: MIT
// The commonest pieces of a plan: vertices that compute where a tensor lies.
#pragma once
#include "openipu/Chip.hpp"
#include "openipu/Operation.hpp"
#include "openipu/Placement.hpp"

namespace poputil {

// A superstep with work on every tile that holds elements of `at`: cycles(elements, regions) on
// that tile. Operands that must be there first go into the result's `needs`.
template <class Cycles>
openipu::Superstep whereItLies(const poplar::Graph &graph, const poplar::Tensor &at,
                               std::string name, std::string vertex, Cycles &&cycles) {
  openipu::Superstep step;
  step.name = std::move(name);
  step.vertex = std::move(vertex);
  for (const auto &[tile, elements, regions] : openipu::elementsByTile(graph, at)) {
    openipu::TileWork work;
    work.tile = tile;
    work.cycles = cycles(elements, regions);
    work.vertices = regions == 1 ? 1 : openipu::chipOf(graph).workers;
    auto *last = step.tiles.empty() ? nullptr : &step.tiles.back();
    if (last && last->tile + last->count == tile && last->cycles == work.cycles &&
        last->vertices == work.vertices)
      ++last->count;
    else
      step.tiles.push_back(work);
  }
  return step;
}

} // namespace poputil
