// SPDX-License-Identifier: MIT
// Softmax over the innermost dimension and its gradient, for any strides.
//
// Tiles: reduce MAX, subtract, exp, reduce ADD, inverse, multiply.
#include "Softmax.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "poplin/Steps.hpp"
#include "popnn/LogSoftmax.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace popnn {
namespace {

using popops::expr::BinaryOpType;
using popops::expr::UnaryOpType;

// A value per row meets the row's elements: `op` where t lies. If rows are spread over tiles, the
// values come from elsewhere.
openipu::Superstep perRowStep(const poplar::Graph &graph, const poplar::Tensor &t, BinaryOpType op,
                              const char *opName, const char *name) {
  auto type = t.elementType();
  std::uint64_t length = t.dim(t.rank() - 1);
  const auto &chip = openipu::chipOf(graph);
  auto step = poplin::elementStep(
      graph, t, name, poplin::binaryVertex("BroadcastVectorOuterByRow1DInPlace", opName, type),
      [&](std::uint64_t n, std::uint32_t) {
        auto columns = std::min<std::uint64_t>(n, length);
        return popops::cost::vectorOuterCycles(chip, op, type, base::ceilDiv(n, columns), columns);
      },
      {0, 1, {}});
  bool spread = false;
  for (const auto &held : openipu::elementsByTile(graph, t))
    spread = spread || held.elements % length != 0;
  if (spread) {
    std::uint64_t size = graph.getTarget().getTypeSize(type), tiles = 0;
    for (const auto &work : step.tiles)
      tiles += work.count;
    auto rowsPerTile = base::ceilDiv(t.numElements() / length, tiles);
    for (auto &work : step.tiles)
      work.bytesIn = work.bytesOut = rowsPerTile * size;
  }
  return step;
}

openipu::Superstep unaryStep(const poplar::Graph &graph, const poplar::Tensor &t, UnaryOpType op,
                             const char *opName, const char *name, poplin::StepDetails details) {
  auto type = t.elementType();
  const auto &chip = openipu::chipOf(graph);
  return poplin::elementStep(
      graph, t, name, poplin::unaryVertex("UnaryOp1D", opName, type),
      [&](std::uint64_t n, std::uint32_t regions) {
        return popops::cost::unaryCycles(chip, op, type, n, false, regions);
      },
      std::move(details));
}

// One float per row, on the tiles that hold t.
openipu::Superstep reducedStep(const poplar::Graph &graph, const poplar::Tensor &t,
                               const char *vertex, const char *name,
                               std::uint64_t (*cycles)(const arch::Chip &, std::uint64_t)) {
  std::uint64_t length = t.dim(t.rank() - 1);
  const auto &chip = openipu::chipOf(graph);
  return poplin::elementStep(graph, t, name, vertex, [&](std::uint64_t n, std::uint32_t) {
    return cycles(chip, base::ceilDiv(n, length));
  });
}
std::uint64_t inverseCycles(const arch::Chip &chip, std::uint64_t n) {
  return popops::cost::unaryCycles(chip, UnaryOpType::INVERSE, poplar::FLOAT, n, true);
}
std::uint64_t logCycles(const arch::Chip &chip, std::uint64_t n) {
  return popops::cost::unaryCycles(chip, UnaryOpType::LOGARITHM, poplar::FLOAT, n, true);
}
std::uint64_t scaleCycles(const arch::Chip &chip, std::uint64_t n) {
  return popops::cost::broadcastScalarCycles(chip, BinaryOpType::MULTIPLY, poplar::FLOAT, n, true);
}
std::uint64_t castCycles(const arch::Chip &chip, std::uint64_t n) {
  return popops::cost::castCycles(chip, poplar::FLOAT, poplar::HALF, n);
}

openipu::Plan softmaxPlan(const poplar::Graph &graph, const std::vector<openipu::Used> &uses,
                          SoftmaxForm form) {
  const auto &out = uses[0].tensor;
  const auto &in = uses.back().tensor;
  std::size_t last = out.rank() - 1;
  poplin::StepDetails first{0, 1, {}};
  if (uses.size() > 1)
    first.needs = {{1, 0}};
  openipu::Plan plan;
  if (form.stable) {
    plan.append(popops::cost::reducePlan(graph, in, {last}, popops::Operation::MAX,
                                         in.elementType(), "Max"));
    plan.add(perRowStep(graph, out, BinaryOpType::SUBTRACT, "SUBTRACT", "SubMax"));
    plan.steps.back().needs = first.needs;
    first.needs.clear();
  }
  if (form.log)
    first.tempBytes = graph.getTarget().getTypeSize(out.elementType());
  plan.add(unaryStep(graph, out, UnaryOpType::EXPONENT, "EXPONENT", "Exp", first));
  plan.append(
      popops::cost::reducePlan(graph, out, {last}, popops::Operation::ADD, poplar::FLOAT, "Sum"));
  if (form.log) {
    plan.add(reducedStep(graph, out,
                         "popops::UnaryOp1DInPlace<popops::expr::UnaryOpType::LOGARITHM,float>",
                         "Log", logCycles));
    plan.add(perRowStep(graph, out, BinaryOpType::SUBTRACT, "SUBTRACT", "SubLog"));
    return plan;
  }
  plan.add(reducedStep(graph, out,
                       "popops::UnaryOp1DInPlace<popops::expr::UnaryOpType::INVERSE,float>", "Inv",
                       inverseCycles));
  if (form.scaling != 1)
    plan.add(reducedStep(
        graph, out, "popops::BroadcastScalar1DInPlace<popops::expr::BinaryOpType::MULTIPLY,float>",
        "Scale", scaleCycles));
  if (out.elementType() == poplar::HALF)
    plan.add(reducedStep(graph, out, "popops::Cast1D<float,half>", "Cast", castCycles));
  plan.add(perRowStep(graph, out, BinaryOpType::MULTIPLY, "MULTIPLY", "Mul"));
  return plan;
}

openipu::Plan gradientPlan(const poplar::Graph &graph, const poplar::Tensor &y,
                           const poplar::Tensor &inGradient) {
  auto type = y.elementType();
  const auto &chip = openipu::chipOf(graph);
  auto binary = [&](BinaryOpType op, const char *opName, const char *name,
                    poplin::StepDetails details) {
    return poplin::elementStep(
        graph, inGradient, name, poplin::binaryVertex("BinaryOp1D", opName, type),
        [&](std::uint64_t n, std::uint32_t regions) {
          return popops::cost::binaryCycles(chip, op, type, n, false, regions);
        },
        std::move(details));
  };
  auto size = graph.getTarget().getTypeSize(type);
  openipu::Plan plan;
  plan.add(binary(BinaryOpType::MULTIPLY, "MULTIPLY", "MulGrad", {size, 1, {{1, 0}, {2, 0}}}));
  plan.append(popops::cost::reducePlan(graph, inGradient, {std::size_t(y.rank() - 1)},
                                       popops::Operation::ADD, poplar::FLOAT, "Sum"));
  if (type == poplar::HALF)
    plan.add(reducedStep(graph, inGradient, "popops::Cast1D<float,half>", "Cast", castCycles));
  plan.add(perRowStep(graph, inGradient, BinaryOpType::MULTIPLY, "MULTIPLY", "MulSum"));
  plan.add(binary(BinaryOpType::SUBTRACT, "SUBTRACT", "Sub", {0, 1, {}}));
  return plan;
}

} // namespace

void checkSoftmax(const poplar::Tensor &t, const std::string &api) {
  if (t.elementType() != poplar::FLOAT && t.elementType() != poplar::HALF)
    throw poputil::poplibs_error(base::str(api, ": a tensor of type ", t.elementType(),
                                           " and shape ", base::list(t.shape()),
                                           "; softmax takes FLOAT and HALF"));
  if (t.rank() == 0)
    throw poputil::poplibs_error(api + ": a tensor of rank 0 has no dimension to take the softmax "
                                       "of; reshape it to [1]");
}

void addSoftmax(poplar::Graph &graph, std::vector<openipu::Used> uses, SoftmaxForm form,
                poplar::program::Sequence &prog, const poplar::DebugContext &context,
                const std::string &api) {
  checkSoftmax(uses[0].tensor, api);
  if (uses[0].tensor.numElements() == 0)
    return;
  auto plan = softmaxPlan(graph, uses, form);
  prog.add(openipu::operation(
      graph, {kernels::softmax, std::move(uses), form.write(), std::move(plan), context}));
}

void addSoftmaxGradient(poplar::Graph &graph, const poplar::Tensor &y, const poplar::Tensor &g,
                        const poplar::Tensor &inGradient, poplar::program::Sequence &prog,
                        const poplar::DebugContext &context) {
  if (y.numElements() == 0)
    return;
  prog.add(openipu::operation(graph, {kernels::softmaxGradient,
                                      {openipu::out(inGradient), openipu::in(y), openipu::in(g)},
                                      "",
                                      gradientPlan(graph, y, inGradient),
                                      context}));
}

void logSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  checkSoftmax(t, "popnn::logSoftmaxInPlace");
  if (!t.isParallelWriteable())
    throw poputil::poplibs_error(
        base::str("popnn::logSoftmaxInPlace: the tensor of shape ", base::list(t.shape()),
                  " cannot be written in place, for it has constant or repeated elements"));
  addSoftmax(graph, {openipu::inOut(t)}, {true, true, 1}, prog, {di, "logSoftmax"},
             "popnn::logSoftmaxInPlace");
}

poplar::Tensor logSoftmax(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  checkSoftmax(t, "popnn::logSoftmax");
  auto out = graph.clone(t, {di, "logSoftmax"});
  addSoftmax(graph, {openipu::out(out), openipu::in(t)}, {true, true, 1}, prog, {di, "logSoftmax"},
             "popnn::logSoftmax");
  di.addOutput(out);
  return out;
}

} // namespace popnn
