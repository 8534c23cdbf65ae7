// SPDX-License-Identifier: MIT
// selectScalarFromRows: y[r] = x[r][i[r]].   updateScalarInRows: x[r][i[r]] -= 1.
// The masked index selects 0 and changes nothing; other indices beyond the row give NaN.
#include "openipu/Operation.hpp"
#include "popops/EncodingConstants.hpp"
#include "popops/SelectScalarFromRows.hpp"
#include "popops/UpdateScalarInRows.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/TileMapping.hpp"
#include "rearrange/Strided.hpp"
#include <base/Text.hpp>
#include <base/Threads.hpp>
#include <cmath>

namespace popops {

namespace {

using openipu::KernelArgs;
using openipu::KernelOperand;
using openipu::TypeId;

float getElement(const KernelOperand &t, std::int64_t at) {
  return t.type == TypeId::Half ? base::halfToFloat(t.as<std::uint16_t>()[at]) : t.as<float>()[at];
}
void setElement(const KernelOperand &t, std::int64_t at, float value) {
  if (t.type == TypeId::Half)
    t.as<std::uint16_t>()[at] = base::floatToHalf(value);
  else
    t.as<float>()[at] = value;
}

template <class Body>
void forRows(const KernelOperand &params, const KernelOperand &indices, const Body &body) {
  base::parallelFor(params.shape[0], 1024, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t row = begin; row < end; ++row)
      body(row, indices.as<std::uint32_t>()[std::int64_t(row) * indices.strides[0]]);
  });
}

void select(const KernelArgs &args) {
  const auto &out = args.outputs[0], &params = args.inputs[0];
  forRows(params, args.inputs[1], [&](std::size_t row, std::uint32_t index) {
    float value = index == MASKED_LABEL_CODE ? 0.0f : NAN;
    if (index < params.shape[1])
      value = getElement(params, std::int64_t(row) * params.strides[0] +
                                     std::int64_t(index) * params.strides[1]);
    setElement(out, std::int64_t(row) * out.strides[0], value);
  });
}

void update(const KernelArgs &args) {
  const auto &params = args.outputs[0];
  forRows(params, args.inputs[0], [&](std::size_t row, std::uint32_t index) {
    auto start = std::int64_t(row) * params.strides[0];
    if (index < params.shape[1]) {
      auto at = start + std::int64_t(index) * params.strides[1];
      setElement(params, at, getElement(params, at) - 1);
    } else if (index != MASKED_LABEL_CODE) {
      for (std::size_t i = 0; i < params.shape[1]; ++i)
        setElement(params, start + std::int64_t(i) * params.strides[1], NAN);
    }
  });
}

const openipu::Registered selecting{{"popops.selectScalarFromRows", select, {}, {}, nullptr}};
const openipu::Registered updating{{"popops.updateScalarInRows", update, {}, {}, nullptr}};

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
        return chip.onWorkers(10 + 10 * arch::ceilDiv(n, chip.workers * columns));
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
      openipu::operation(graph, {"popops.selectScalarFromRows",
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
  program.add(openipu::operation(graph, {"popops.updateScalarInRows",
                                         {openipu::inOut(params), openipu::in(indices)},
                                         "",
                                         std::move(plan),
                                         {di, "updateScalarInRows"}}));
}

} // namespace popops
