// SPDX-License-Identifier: MIT
// fill and zero: an expression that is one constant, planned as Fill vertices.
#include "popops/Fill.hpp"
#include "base/Text.hpp"
#include "elementwise/MapPlan.hpp"
#include "openipu/Operation.hpp"
#include "popops/Cast.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/Zero.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/VertexTemplates.hpp"
#include <numeric>

namespace popops {

using base::str;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;
using Intervals = std::vector<Interval>;

// The elements that a view shows, each once.
static Tensor withoutAliases(const Graph &graph, const Tensor &t) {
  if (!t.containsAliases())
    return t;
  const Tensor flat = t.flatten();
  Intervals once;
  for (const auto &regions :
       graph.getSortedContiguousRegions(flat, {Interval(0, flat.numElements())}, true))
    once.insert(once.end(), regions.begin(), regions.end());
  return concat(flat.slices(once));
}

static MapProgram programFor(const Type &type, const expr::Const &value) {
  const double number = value.getDataAsDouble();
  const Type given = value.getTypeTraits().type();
  const bool floating = given == FLOAT || given == DOUBLE;
  MapConstant constant{idOf(type), {}, 0, 0};
  if (type == FLOAT || type == HALF)
    constant.number = number;
  else if (type == BOOL)
    constant.integer = number != 0;
  else
    constant.integer =
        floating ? std::uint64_t(std::int64_t(number)) : value.getDataForUnsignedIntegral();
  MapProgram program;
  program.constants.push_back(constant);
  program.results = {0};
  return program; // its result is value 0: the constant
}

static void check(const Tensor &t, const expr::Const &value) {
  if (t.containsConstant())
    throw poplibs_error(str("popops::fill: the tensor of shape ", t.shapeToString(),
                            " is a constant and cannot be set."));
  if (t.elementType() == QUARTER && value.getDataAsDouble() != 0 && !t.hasMetadata())
    throw poplibs_error("popops::fill: a quarter tensor without metadata can only be zeroed.");
}

static openipu::Operation operationFor(const Tensor &t, const expr::Const &value,
                                       std::vector<openipu::TileWork> tiles,
                                       const DebugContext &context) {
  openipu::Superstep step;
  step.name = "Fill";
  const bool many = !tiles.empty() && tiles[0].vertices > 1;
  step.vertex = poputil::templateVertex(many ? "popops::Fill2d" : "popops::Fill", t.elementType());
  step.tiles = std::move(tiles);
  openipu::Plan plan;
  plan.add(std::move(step));
  return {kernels::map,
          {openipu::out(t)},
          programFor(t.elementType(), value).write(),
          std::move(plan),
          context};
}

static void fillQuarter(Graph &graph, const Tensor &t, Sequence &prog, const expr::Const &value,
                        const DebugContext &context) {
  Tensor one = graph.addConstant(FLOAT, {1}, float(value.getDataAsDouble()), context);
  graph.setTileMapping(one, 0);
  castWithOutput(graph, one.broadcast(unsigned(t.numElements()), 0), t.flatten(), prog, context);
}

namespace detail {

void fill(Graph &graph, const Tensor &tensor, Sequence &prog, const expr::Const &value,
          const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(tensor));
  check(tensor, value);
  const Tensor t = withoutAliases(graph, tensor);
  if (t.numElements() == 0)
    return;
  if (t.elementType() == QUARTER && value.getDataAsDouble() != 0)
    return fillQuarter(graph, t, prog, value, {di});
  const auto &chip = openipu::chipOf(graph);
  auto tiles =
      workOn(chip, openipu::elementsByTile(graph, t), [&](std::uint64_t n, unsigned regions) {
        return cost::fillCycles(chip, t.elementType(), n, regions);
      });
  prog.add(openipu::operation(graph, operationFor(t, value, std::move(tiles), {di})));
}

void fill(Graph &graph, const Tensor &t, const std::vector<Intervals> &mapping, ComputeSet cs,
          const expr::Const &value) {
  check(t, value);
  if (t.elementType() == QUARTER && value.getDataAsDouble() != 0)
    throw poplibs_error("popops::fill: in a compute set, quarter tensors can only be zeroed.");
  const auto &chip = openipu::chipOf(graph);
  Intervals all;
  std::vector<openipu::TileWork> tiles;
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    std::uint64_t elements = 0;
    for (const auto &interval : mapping[tile]) {
      if (interval.end() > t.numElements())
        throw poplibs_error(str("popops::fill: interval [", interval.begin(), ", ", interval.end(),
                                ") is outside of the tensor of shape ", t.shapeToString(), "."));
      if (interval.size())
        all.push_back(interval);
      elements += interval.size();
    }
    if (!elements)
      continue;
    openipu::TileWork work;
    work.tile = tile;
    work.cycles = cost::fillCycles(chip, t.elementType(), elements, unsigned(mapping[tile].size()));
    work.vertices = mapping[tile].size() == 1 ? 1 : chip.workers;
    tiles.push_back(work);
  }
  if (all.empty())
    return;
  const Tensor parts = withoutAliases(graph, concat(t.flatten().slices(all)));
  openipu::addOperation(graph, cs, operationFor(parts, value, std::move(tiles), {"fill"}));
}

void fill(Graph &graph, const Tensor &t, const Intervals &regions, unsigned tile, ComputeSet cs,
          const expr::Const &value) {
  std::vector<Intervals> mapping(tile + 1);
  mapping[tile] = regions;
  fill(graph, t, mapping, cs, value);
}

} // namespace detail

void zero(Graph &graph, const Tensor &t, Sequence &prog, const DebugContext &debugContext) {
  detail::fill(graph, t, prog, expr::Const(0), debugContext);
}
void zero(Graph &graph, Tensor t, const Intervals &tileRegions, unsigned tile, ComputeSet zeroCS) {
  detail::fill(graph, t, tileRegions, tile, zeroCS, expr::Const(0));
}
void zero(Graph &graph, const Tensor &t, unsigned tile, ComputeSet zeroCS) {
  detail::fill(graph, t, {Interval(0, t.numElements())}, tile, zeroCS, expr::Const(0));
}
void zero(Graph &graph, const Tensor &t, const std::vector<Intervals> &mapping, ComputeSet zeroCS) {
  detail::fill(graph, t, mapping, zeroCS, expr::Const(0));
}

} // namespace popops
