// SPDX-License-Identifier: MIT
// selectScalarFromRows: y[r] = x[r][i[r]].   updateScalarInRows: x[r][i[r]] -= 1.
// The masked index selects 0 and changes nothing; other indices beyond the row give NaN.
#include "popops/kernels/ScalarInRows.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Operation.hpp"
#include "popops/SelectScalarFromRows.hpp"
#include "popops/UpdateScalarInRows.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/TileMapping.hpp"
#include <base/Text.hpp>

namespace popops {

namespace {

void check(const poplar::Tensor &params, const poplar::Tensor &indices, const char *name) {
  auto type = params.elementType();
  auto fail = [&](auto &&...parts) {
    throw poputil::poplibs_error(base::str("popops::", name, ": ", parts...));
  };
  if (params.rank() != 2)
    fail("the tensor has the shape ", params.shapeToString(), "; it must be [rows,columns].");
  if (type != poplar::FLOAT && type != poplar::HALF)
    fail("the tensor is of type ", type, "; it must be float or half.");
  if (indices.rank() != 1 || indices.dim(0) != params.dim(0))
    fail("the indices have the shape ", indices.shapeToString(), "; one per row of ",
         params.shapeToString(), " is needed.");
  if (indices.elementType() != poplar::UNSIGNED_INT)
    fail("the indices are of type ", indices.elementType(), "; they must be unsigned int.");
}

// Tiles look only at the rows that they hold a part of: about ten instructions per row.
openipu::Superstep onTiles(const poplar::Graph &graph, const poplar::Tensor &params,
                           const char *vertex) {
  std::uint64_t columns = std::max<std::size_t>(1, params.dim(1));
  const auto &chip = openipu::chipOf(graph);
  auto step = poputil::whereItLies(
      graph, params, "Rows", base::str("popops::", vertex, "<", params.elementType(), ">"),
      [&](std::uint64_t n, std::uint32_t) {
        return chip.onWorkers(10 + 10 * base::ceilDiv(n, chip.workers * columns));
      });
  for (auto &work : step.tiles)
    work.bytesIn = 4;
  return step;
}

} // namespace

poplar::Tensor selectScalarFromRows(poplar::Graph &graph, const poplar::Tensor &params,
                                    const poplar::Tensor &indices, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(params, indices));
  check(params, indices, "selectScalarFromRows");
  auto out = graph.addVariable(params.elementType(), {params.dim(0)}, {di, "selected"});
  poputil::mapTensorLinearly(graph, out);
  di.addOutput(out);
  if (out.numElements() == 0)
    return out;
  openipu::Plan plan;
  const auto &chip = openipu::chipOf(graph);
  if (params.numElements())
    plan.add(onTiles(graph, params, "SelectFromIntervals"));
  // The tiles' candidates meet where the result lies.
  auto join = poputil::whereItLies(
      graph, out, "Join",
      base::str("popops::Reduce<popops::ReduceAdd,", params.elementType(), ",",
                params.elementType(), ",false,popops::ReductionSpecialisation::STRIDED_REDUCE>"),
      [&](std::uint64_t n, std::uint32_t) { return chip.onWorkers(16 + 6 * chip.workerShare(n)); });
  for (auto &work : join.tiles)
    work.bytesIn = graph.getTarget().getTypeSize(params.elementType());
  plan.add(std::move(join));
  prog.add(
      openipu::operation(graph, {kernels::selectScalarFromRows,
                                 {openipu::out(out), openipu::in(params), openipu::in(indices)},
                                 "",
                                 std::move(plan),
                                 {di, "selectScalarFromRows"}}));
  return out;
}

void updateScalarInRows(poplar::Graph &graph, const poplar::Tensor &params,
                        const poplar::Tensor &indices, poplar::program::Sequence &program,
                        const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(params, indices));
  check(params, indices, "updateScalarInRows");
  if (params.numElements() == 0)
    return;
  openipu::Plan plan;
  plan.add(onTiles(graph, params, "UpdateIntervalsDEC"));
  program.add(openipu::operation(graph, {kernels::updateScalarInRows,
                                         {openipu::inOut(params), openipu::in(indices)},
                                         "",
                                         std::move(plan),
                                         {di, "updateScalarInRows"}}));
}

} // namespace popops
