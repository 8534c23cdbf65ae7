// SPDX-License-Identifier: MIT
// cumulativeSum: y[i] = x[0] + ... + x[i] along one dimension, one row after another.
// On the tiles: each tile sums what it holds of a row, tiles before it send their totals, and the
// sums are raised by them.
#include "popops/CumulativeSum.hpp"
#include "openipu/Operation.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/kernels/CumulativeSum.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include <base/Text.hpp>

namespace popops {

namespace {

// One addition per element in turn on each tile, then one broadcast addition of what came before.
openipu::Plan planOf(const poplar::Graph &graph, const poplar::Tensor &t) {
  openipu::Plan plan;
  auto type = t.elementType();
  const auto &chip = openipu::chipOf(graph);
  auto scan = poputil::whereItLies(
      graph, t, "SumOnTile", base::str("popops::CumulativeSum<", type, ">"),
      [&](std::uint64_t n, std::uint32_t regions) {
        return chip.onWorkers(20 + 6 * std::uint64_t(regions) + 3 * chip.workerShare(n));
      });
  auto raise = poputil::whereItLies(graph, t, "AddTotals",
                                    base::str("popops::BroadcastScalar1DInPlace<popops::expr::"
                                              "BinaryOpType::ADD,",
                                              type, ">"),
                                    [&](std::uint64_t n, std::uint32_t regions) {
                                      return cost::broadcastScalarCycles(
                                          chip, expr::BinaryOpType::ADD, type, n, true, regions);
                                    });
  std::uint64_t bytes = graph.getTarget().getTypeSize(type);
  std::uint32_t tiles = 0;
  for (const auto &work : scan.tiles)
    tiles += work.count;
  for (auto &work : raise.tiles)
    if (tiles > 1) {
      work.bytesIn = bytes * (tiles - 1);
      work.messagesIn = tiles - 1;
      work.bytesOut = bytes;
    }
  plan.add(std::move(scan));
  if (tiles > 1)
    plan.add(std::move(raise));
  return plan;
}

} // namespace

poplar::Tensor cumulativeSum(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dim));
  auto type = t.elementType();
  if (dim >= t.rank())
    throw poputil::poplibs_error(base::str("popops::cumulativeSum: dimension ", dim,
                                           " is not one of the ", t.rank(), " of ",
                                           t.shapeToString(), "."));
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    throw poputil::poplibs_error(base::str("popops::cumulativeSum: no sums of ", type,
                                           "; use float, half, int or unsigned int."));
  auto out = graph.clone(t, {di, "cumulativeSum"});
  if (t.numElements())
    prog.add(openipu::operation(graph, {kernels::cumulativeSum,
                                        {openipu::out(out.dimRoll(dim, t.rank() - 1)),
                                         openipu::in(t.dimRoll(dim, t.rank() - 1))},
                                        "",
                                        planOf(graph, t),
                                        {di, "cumulativeSum"}}));
  di.addOutput(out);
  return out;
}

} // namespace popops
