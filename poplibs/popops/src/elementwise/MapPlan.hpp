// SPDX-License-Identifier: MIT
// What an expression takes on the tiles: it is computed where the output lies, by one generated
// vertex if it can be fused, else by one superstep per operator.
#pragma once
#include "elementwise/MapTree.hpp"
#include "openipu/Placement.hpp"
#include "openipu/Plan.hpp"
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

namespace popops {

struct MapOptions {
  bool enableGenerateCodelet = true, forceGenerateCodelet = false;
  bool enableVectorBroadcastOptimisations = true, enableExpressionOptimizations = true;
};
// Throws invalid_option.
MapOptions parseMapOptions(const poplar::OptionFlags &options);

struct MapOperands {
  const std::vector<poplar::Tensor> &ts; // as given, before broadcasting
  poplar::Tensor out;
  std::vector<unsigned> inputs; // operand i + 1 of the operation is ts[inputs[i]]
  bool inPlace = false;         // the result overwrites the first operand
};

openipu::Plan planMap(const poplar::Graph &graph, const MapTree &tree, const MapOperands &operands,
                      const MapOptions &options, const std::string &exprName);

// Adds the operation, through a temporary if an operand overlaps the output without being the same.
void addMap(poplar::Graph &graph, const MapTree &tree, const MapOperands &operands,
            openipu::Plan plan, poplar::program::Sequence &prog,
            const poplar::DebugContext &context);

// Whether one vertex can compute the whole expression.
bool canFuse(const MapTree &tree, const std::vector<poplar::Tensor> &ts,
             const std::vector<std::size_t> &outShape, const MapOptions &options);

// Work where a tensor lies: as poputil::whereItLies, for a list that is used again and again.
template <class Cycles>
std::vector<openipu::TileWork> workOn(const std::vector<openipu::TileElements> &tiles,
                                      Cycles &&cycles, std::uint64_t tempBytesPerElement = 0) {
  std::vector<openipu::TileWork> out;
  for (const auto &[tile, elements, regions] : tiles) {
    openipu::TileWork work;
    work.tile = tile;
    work.cycles = cycles(elements, regions);
    work.vertices = regions == 1 ? 1 : 6;
    work.tempBytes = elements * tempBytesPerElement;
    auto *last = out.empty() ? nullptr : &out.back();
    if (last && last->tile + last->count == tile && last->cycles == work.cycles &&
        last->vertices == work.vertices && last->tempBytes == work.tempBytes)
      ++last->count;
    else
      out.push_back(work);
  }
  return out;
}

} // namespace popops
