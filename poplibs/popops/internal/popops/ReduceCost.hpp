// SPDX-License-Identifier: MIT
// What reductions take on the tiles. Operators that reduce inside (softmax, norms, losses) append
// these supersteps to their own plans:
//
//   plan.append(popops::cost::reducePlan(graph, in, out, {1}, Operation::ADD, "Sum"));
//
// or, where the reduced values are no tensor of the operator:
//
//   plan.append(popops::cost::reducePlan(graph, in, {1}, Operation::MAX, FLOAT, "Max"));
#pragma once
#include "arch/Chip.hpp"
#include "openipu/Placement.hpp"
#include "openipu/Plan.hpp"
#include "poplar/Graph.hpp"
#include "popops/OperationDef.hpp"
#include <string>
#include <vector>

namespace popops::cost {

struct ReduceTypes {
  // Of partial results between tiles and within vertices. Type() (the default): as reduce() does.
  poplar::Type interTile, inVertex;
  bool scale = false, update = false;
  unsigned alike = 1; // reductions of as many tensors at once, of which this is one
};

// Reduce on the tiles that hold the input, then through intermediate tiles if many tiles
// contribute to one output, then where the output lies.
openipu::Plan reducePlan(const poplar::Graph &graph, const poplar::Tensor &in,
                         const poplar::Tensor &out, const std::vector<std::size_t> &dims,
                         Operation op, const std::string &name = "Reduce",
                         const ReduceTypes &types = {});

// The same with the output where reduce() would put it.
openipu::Plan reducePlan(const poplar::Graph &graph, const poplar::Tensor &in,
                         const std::vector<std::size_t> &dims, Operation op,
                         const poplar::Type &outType, const std::string &name = "Reduce",
                         const ReduceTypes &types = {});

// Several reductions at once: what they do at the same stage shares a superstep.
openipu::Plan sideBySide(std::vector<openipu::Plan> plans);

// The output as reduce() makes it: the dimensions that stay, in the order they have in memory, on
// the tiles that hold the input when no output is spread over tiles, else linear.
poplar::Tensor createReduceOutput(poplar::Graph &graph, const poplar::Tensor &in,
                                  const poplar::Type &outType, const std::vector<std::size_t> &dims,
                                  const poplar::DebugContext &context);

// Vertices of one tile: `outputs` results, each from `partials` values.
enum class ReduceVertex {
  Default,             // lists of regions
  ScalarOutput,        // one output from one region
  Strided,             // outputs side by side in memory
  AllRegionsContinuous // partials of an output side by side
};
struct ReduceVertexShape {
  ReduceVertex kind;
  Operation op;
  poplar::Type in, out;
  std::uint64_t outputs, partials;
  std::uint64_t outer = 1; // Strided: partials come in so many strided groups
  bool scale = false, update = false;
};
std::uint64_t reduceWorkerCycles(const arch::Chip &chip, const ReduceVertexShape &shape);
// The tile's workers share the outputs, or the partials when there are few outputs.
std::uint64_t reduceTileCycles(const arch::Chip &chip, const ReduceVertexShape &shape);
std::string reduceVertexName(const ReduceVertexShape &shape);

} // namespace popops::cost
