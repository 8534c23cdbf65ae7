// SPDX-License-Identifier: MIT
// Spatial softmax: the mean position under the softmax of each field. Host: one pass per field for
// the maximum and one for all sums. Tiles: divide, softmax, a product with the coordinates.
#include "popnn/SpatialSoftMax.hpp"
#include "../softmax/SoftmaxLoops.hpp"
#include "base/Text.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Operation.hpp"
#include "poplin/Rows.hpp"
#include "poplin/Steps.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"

namespace popnn {
namespace {

namespace rows = poplin::rows;
using openipu::KernelArgs;
using popops::expr::BinaryOpType;
using popops::expr::UnaryOpType;

// -1 ... 1 in n positions, as linspace counts: a single one is at -1.
double coordinate(std::size_t i, std::size_t n) {
  return n > 1 ? -1.0 + 2.0 * double(i) / double(n - 1) : -1.0;
}

void field(const KernelArgs &args, std::size_t f, float temperature, bool softmax) {
  const auto &in = args.inputs[0], &out = args.outputs[0];
  rows::Data data(in), to(out);
  auto height = in.shape[1], width = in.shape[2];
  float *p = rows::scratch(0, height * width);
  for (std::size_t y = 0; y < height; ++y)
    data.load(std::int64_t(f) * in.strides[0] + std::int64_t(y) * in.strides[1], in.strides[2],
              width, p + y * width);
  if (softmax) {
    for (std::size_t i = 0; i < height * width; ++i)
      p[i] /= temperature;
    softmaxRow({true, false, 1}, p, p, height * width);
  }
  double sumX = 0, sumY = 0;
  for (std::size_t y = 0; y < height; ++y) {
    double row = 0;
    for (std::size_t x = 0; x < width; ++x) {
      row += double(p[y * width + x]);
      sumX += double(p[y * width + x]) * coordinate(x, width);
    }
    sumY += row * coordinate(y, height);
  }
  float position[2] = {float(sumY), float(sumX)}; // row, column
  to.store(std::int64_t(f) * out.strides[0], out.strides[1], 2, position);
}

void run(const KernelArgs &args) {
  bool softmax = openipu::AttributeReader(args.attributes).get<bool>();
  float temperature = rows::table(args.inputs[1], 8)[0];
  auto body = [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto f = begin; f < end; ++f)
      field(args, f, temperature, softmax);
  };
  auto size = args.inputs[0].shape[1] * args.inputs[0].shape[2];
  base::parallelFor(args.inputs[0].shape[0], std::max<std::size_t>(1, 4096 / (size + 1)),
                    std::ref(body));
}

const openipu::Registered registered{{"popnn.spatialSoftMax2D", run, {}, {}, nullptr}};

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
  openipu::AttributeWriter attributes;
  attributes.put(!disableSoftmax);
  prog.add(openipu::operation(graph, {"popnn.spatialSoftMax2D",
                                      {openipu::out(out), openipu::in(fields), openipu::in(degree)},
                                      attributes.take(),
                                      plan(graph, fields, out, !disableSoftmax),
                                      {di, "spatialSoftMax2D"}}));
  di.addOutput(out);
  return {out, degree};
}

} // namespace popnn
