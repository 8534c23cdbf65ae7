// SPDX-License-Identifier: MIT
// cumulativeSum: y[i] = x[0] + ... + x[i] along one dimension, one row after another.
// On the tiles: each tile sums what it holds of a row, tiles before it send their totals, and the
// sums are raised by them.
#include "popops/CumulativeSum.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Operation.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "rearrange/Strided.hpp"
#include <base/Text.hpp>
#include <base/Threads.hpp>

namespace popops {

namespace {

using openipu::KernelArgs;
using openipu::TypeId;

template <class T, class Sum> void sumRow(T *row, std::size_t n) {
  Sum sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += Sum(row[i]);
    row[i] = T(sum);
  }
}

void run(const KernelArgs &args) {
  const auto &in = args.inputs[0], &out = args.outputs[0];
  std::size_t n = strided::rowLength(in), rows = n ? in.elements / n : 0;
  base::parallelFor(rows, 1 + 16384 / (n + 1), [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> floats(n);
    std::vector<std::uint32_t> words(n);
    for (std::size_t row = begin; row < end; ++row) {
      if (in.type == TypeId::Float || in.type == TypeId::Half) {
        strided::readFloats(in, row, floats.data());
        sumRow<float, double>(floats.data(), n);
        strided::writeFloats(out, row, floats.data());
      } else {
        strided::readRow(in, row, words.data());
        sumRow<std::uint32_t, std::uint32_t>(words.data(), n);
        strided::writeRow(out, row, words.data());
      }
    }
  });
}

const openipu::Registered registered{{"popops.cumulativeSum", run, {}, {}, nullptr}};

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
    prog.add(openipu::operation(graph, {"popops.cumulativeSum",
                                        {openipu::out(out.dimRoll(dim, t.rank() - 1)),
                                         openipu::in(t.dimRoll(dim, t.rank() - 1))},
                                        "",
                                        planOf(graph, t),
                                        {di, "cumulativeSum"}}));
  di.addOutput(out);
  return out;
}

} // namespace popops
