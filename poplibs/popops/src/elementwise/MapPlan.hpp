// SPDX-License-Identifier: MIT
// What expressions take on the tiles: they are computed where their outputs lie, by one generated
// vertex if they can be fused, else by one superstep per operator.
#pragma once
#include "elementwise/MapTree.hpp"
#include "openipu/Chip.hpp"
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
  std::vector<poplar::Tensor> outs;      // one per expression, all of one shape
  std::vector<unsigned> inputs;          // of the expressions: ts[inputs[i]]
  bool inPlace = false;                  // the result overwrites the first operand
  // Operands of the operation: out k is `firstOut` + k, input i is `firstIn` + i.
  unsigned firstOut = 0, firstIn = unsigned(outs.size());
};

openipu::Plan planMap(const poplar::Graph &graph, const MapTree &tree, const MapOperands &operands,
                      const MapOptions &options, const std::string &exprName);
// Several plans at once: step i of all of them is one superstep.
openipu::Plan together(std::vector<openipu::Plan> plans);

// Adds one operation for these lists of operands, which lie one after the other in `firstOut` and
// `firstIn`; through temporaries where an operand overlaps an output without being the same.
void addMaps(poplar::Graph &graph, const MapTree &tree, const std::vector<MapOperands> &lists,
             openipu::Plan plan, poplar::program::Sequence &prog,
             const poplar::DebugContext &context);
inline void addMap(poplar::Graph &graph, const MapTree &tree, const MapOperands &operands,
                   openipu::Plan plan, poplar::program::Sequence &prog,
                   const poplar::DebugContext &context) {
  addMaps(graph, tree, {operands}, std::move(plan), prog, context);
}
// Throws poplibs_error unless the result fits the tensor.
void checkTarget(const char *what, const poplar::Tensor &target, const poplar::Type &type,
                 const std::vector<std::size_t> &shape, const poplar::DebugContext &context);
// The shape that all broadcast to.
std::vector<std::size_t> commonShape(const std::vector<poplar::Tensor> &ts,
                                     const poplar::DebugContext &context);

// The vertex of an expression, in the namespace popops::map: expr.name(), or its begin and a hash.
std::string generatedName(const std::string &expr);
// Whether one vertex can compute all of the expressions.
bool canFuse(const MapTree &tree, const MapOptions &options);

// Work where a tensor lies: as poputil::whereItLies, for a list that is used again and again.
template <class Cycles>
std::vector<openipu::TileWork> workOn(const arch::Chip &chip,
                                      const std::vector<openipu::TileElements> &tiles,
                                      Cycles &&cycles, std::uint64_t tempBytesPerElement = 0) {
  std::vector<openipu::TileWork> out;
  for (const auto &[tile, elements, regions] : tiles) {
    openipu::TileWork work;
    work.tile = tile;
    work.cycles = cycles(elements, regions);
    work.vertices = regions == 1 ? 1 : chip.workers;
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
