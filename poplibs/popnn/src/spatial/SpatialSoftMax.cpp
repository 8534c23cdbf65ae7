// SPDX-License-Identifier: MIT
// Spatial softmax: the mean position under the softmax of each field. Tiles: divide, softmax, a
// product with the coordinates.
#include "popnn/SpatialSoftMax.hpp"
#include "base/Text.hpp"
#include "openipu/Operation.hpp"
#include "poplin/Steps.hpp"
#include "popnn/kernels/SpatialSoftMax.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"

namespace popnn {
namespace {

using popops::expr::BinaryOpType;
using popops::expr::UnaryOpType;

openipu::Plan plan(const poplar::Graph &graph, const poplar::Tensor &fields,
                   const poplar::Tensor &out, bool softmax) {
  auto type = fields.elementType();
  const auto &chip = openipu::chipOf(graph);
  auto size = graph.getTarget().getTypeSize(type);
  openipu::Plan plan;
  auto element = [&](const char *name, std::string vertex, auto cycles) {
    plan.add(poplin::elementStep(graph, fields, name, std::move(vertex), cycles, {size, 1, {}}));
  };
  auto scalarStep = [&](const char *name, BinaryOpType op, const char *opName) {
    element(name, poplin::binaryVertex("BroadcastScalar1D", opName, type),
            [&, op](std::uint64_t n, std::uint32_t regions) {
              return popops::cost::broadcastScalarCycles(chip, op, type, n, false, regions);
            });
  };
  if (softmax) {
    scalarStep("DivTemperature", BinaryOpType::DIVIDE, "DIVIDE");
    plan.append(
        popops::cost::reducePlan(graph, fields, {1, 2}, popops::Operation::MAX, type, "Max"));
    scalarStep("SubMax", BinaryOpType::SUBTRACT, "SUBTRACT");
    element("Exp", poplin::unaryVertex("UnaryOp1D", "EXPONENT", type),
            [&](std::uint64_t n, std::uint32_t regions) {
              return popops::cost::unaryCycles(chip, UnaryOpType::EXPONENT, type, n, false,
                                               regions);
            });
    plan.append(popops::cost::reducePlan(graph, fields, {1, 2}, popops::Operation::ADD,
                                         poplar::FLOAT, "Sum"));
    scalarStep("Mul", BinaryOpType::MULTIPLY, "MULTIPLY");
  }
  for (unsigned axis : {0u, 1u}) { // times the coordinate, and summed
    element(axis ? "MulColumn" : "MulRow", poplin::binaryVertex("BinaryOp1D", "MULTIPLY", type),
            [&](std::uint64_t n, std::uint32_t regions) {
              return popops::cost::binaryCycles(chip, BinaryOpType::MULTIPLY, type, n, false,
                                                regions);
            });
    plan.append(popops::cost::reducePlan(graph, fields, out.slice(axis, axis + 1, 1).flatten(),
                                         {1, 2}, popops::Operation::ADD,
                                         axis ? "SumColumn" : "SumRow"));
  }
  return plan;
}

} // namespace

std::pair<poplar::Tensor, poplar::Tensor>
spatialSoftMax2D(poplar::Graph &graph, poplar::program::Sequence &prog,
                 const poplar::Tensor &fields, float temperature, bool disableSoftmax,
                 const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(fields, temperature, disableSoftmax));
  auto type = fields.elementType();
  if (fields.rank() != 3 || fields.numElements() == 0 ||
      (type != poplar::FLOAT && type != poplar::HALF))
    throw poputil::poplibs_error(base::str("popnn::spatialSoftMax2D: fields are ", type,
                                           base::list(fields.shape()),
                                           "; give FLOAT or HALF of [fields][height][width]"));
  if (!(temperature > 0))
    throw poputil::poplibs_error(base::str("popnn::spatialSoftMax2D: a temperature of ",
                                           temperature, "; it must be above 0"));
  auto degree = graph.addVariable(type, {1}, {di, "temperature"});
  graph.setTileMapping(degree, 0);
  graph.setInitialValue(degree, poplar::ArrayRef<float>({temperature}));
  auto out = graph.addVariable(type, {fields.dim(0), 2}, {di, "positions"});
  poputil::mapTensorLinearly(graph, out);
  prog.add(openipu::operation(graph, {kernels::spatialSoftMax2D,
                                      {openipu::out(out), openipu::in(fields), openipu::in(degree)},
                                      kernels::SpatialSoftMaxOf{!disableSoftmax}.write(),
                                      plan(graph, fields, out, !disableSoftmax),
                                      {di, "spatialSoftMax2D"}}));
  di.addOutput(out);
  return {out, degree};
}

} // namespace popnn
