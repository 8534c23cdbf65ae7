// SPDX-License-Identifier: MIT
// hasNaN, hasNaNOrInf: a reduction (kernels/reduce) with a test of each element. On the
// tiles: one vertex where the data lies sets a flag per tile, and the flags are joined.
#include "popops/NaN.hpp"
#include "openipu/Operation.hpp"
#include "popops/kernels/Reduce.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "rearrange/Step.hpp"
#include <base/Text.hpp>

namespace popops {

namespace {

std::uint64_t vertexCycles(const arch::Chip &chip, const poplar::Type &type, bool inf,
                           std::uint64_t n) {
  bool half = type == poplar::HALF;
  const auto vectors = chip.workerShare(n) / (half ? 8 : 4);
  return 24 + chip.onWorkers(17 + (half ? 12 : 10) + (inf ? 3 : 2) * vectors + (half ? 11 : 7));
}

openipu::Plan planOf(const poplar::Graph &graph, const poplar::Tensor &src, bool inf) {
  openipu::Plan plan;
  auto type = src.elementType();
  const auto &chip = openipu::chipOf(graph);
  auto step = poputil::whereItLies(
      graph, src, "HasNaN",
      base::str("popops::HasNaNOrInf1D<", type, ",", inf ? "true" : "false", ">"),
      [&](std::uint64_t n, std::uint32_t) { return vertexCycles(chip, type, inf, n); });
  auto join = stepOf("Join", "popops::Reduce<popops::ReduceOr,bool,bool,false,"
                             "popops::ReductionSpecialisation::DEFAULT>");
  std::uint64_t flags = 0;
  for (const auto &work : step.tiles)
    flags += work.count;
  cost::ReduceVertexShape shape{
      cost::ReduceVertex::Default, Operation::LOGICAL_OR, poplar::BOOL, poplar::BOOL, 1, flags};
  openipu::TileWork all;
  all.bytesIn = flags;
  all.messagesIn = std::uint32_t(flags);
  all.cycles = chip.onWorkers(cost::reduceWorkerCycles(chip, shape));
  for (auto work : step.tiles) {
    openipu::TileWork send;
    send.tile = work.tile;
    send.count = work.count;
    send.bytesOut = 1;
    send.vertices = 0;
    if (send.tile == 0) {
      all.bytesOut = 1;
      ++send.tile;
      --send.count;
    }
    if (send.count)
      join.tiles.push_back(send);
  }
  join.tiles.insert(join.tiles.begin(), all);
  plan.add(std::move(step));
  plan.add(std::move(join));
  return plan;
}

poplar::Tensor find(poplar::Graph &graph, const poplar::Tensor &src,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                    bool inf, const char *name) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src), name);
  if (src.elementType() != poplar::FLOAT && src.elementType() != poplar::HALF)
    throw poputil::poplibs_error(base::str("popops::", name, ": the tensor ", src.shapeToString(),
                                           " is of type ", src.elementType(),
                                           "; only float and half have such values."));
  auto out = graph.addVariable(poplar::BOOL, {}, {di, name});
  graph.setTileMapping(out, 0);
  kernels::ReduceSpec spec;
  spec.test = inf ? kernels::ReduceTest::NotFinite : kernels::ReduceTest::NaN;
  spec.reduced = {true};
  openipu::Operation operation{kernels::reduce,
                               {openipu::out(out), openipu::in(src.flatten())},
                               kernels::writeReductions({spec}),
                               planOf(graph, src, inf),
                               {di, name}};
  prog.add(openipu::operation(graph, std::move(operation)));
  di.addOutput(out);
  return out;
}

} // namespace

poplar::Tensor hasNaN(poplar::Graph &graph, const poplar::Tensor &src,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  return find(graph, src, prog, debugContext, false, "hasNaN");
}

poplar::Tensor hasNaNOrInf(poplar::Graph &graph, const poplar::Tensor &src,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext) {
  return find(graph, src, prog, debugContext, true, "hasNaNOrInf");
}

} // namespace popops
