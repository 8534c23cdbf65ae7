// SPDX-License-Identifier: MIT
// The gradient of a cross entropy by the logits. Tiles: labels encoded as rows,
// then exp, a difference and a product where x lies.
#include "popnn/kernels/SoftmaxLoss.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "poplin/Steps.hpp"
#include "popnn/LossOperations.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/OneHotCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace popnn {
namespace {

using popops::expr::BinaryOpType;
using popops::expr::UnaryOpType;

openipu::Plan planOf(const poplar::Graph &graph, const SoftmaxLoss &loss,
                     const poplar::Tensor &dx) {
  const auto type = dx.elementType();
  const auto &chip = openipu::chipOf(graph);
  const auto size = graph.getTarget().getTypeSize(type);
  const std::uint64_t classes = std::max<std::size_t>(1, dx.dim(1));
  openipu::Plan plan;
  plan.add(poplin::elementStep(graph, dx, "Fill", "popops::Fill<" + type.toString() + ">",
                               [&](std::uint64_t n, std::uint32_t regions) {
                                 return popops::cost::fillCycles(chip, type, n, regions);
                               },
                               {size, 0, {}}));
  plan.add(poplin::elementStep(
      graph, dx, "EncodeOneHot", "popops::EncodeOneHot<unsigned int," + type.toString() + ">",
      [&](std::uint64_t n, std::uint32_t) {
        return popops::cost::oneHotCycles(chip, poplar::UNSIGNED_INT, type, false,
                                          base::ceilDiv(n, classes));
      },
      {size, 0, {}}));
  if (loss.logarithms)
    plan.add(poplin::elementStep(
        graph, dx, "Exp", poplin::unaryVertex("UnaryOp1D", "EXPONENT", type),
        [&](std::uint64_t n, std::uint32_t regions) {
          return popops::cost::unaryCycles(chip, UnaryOpType::EXPONENT, type, n, false, regions);
        },
        {size, 1, {{1, 0}}}));
  for (auto [name, vertex, op] : {std::tuple{"SubOneHot", "SUBTRACT", BinaryOpType::SUBTRACT},
                                  std::tuple{"Scale", "MULTIPLY", BinaryOpType::MULTIPLY}}) {
    plan.add(poplin::elementStep(graph, dx, name, poplin::binaryVertex("BinaryOp1D", vertex, type),
                                 [&, op = op](std::uint64_t n, std::uint32_t regions) {
                                   return popops::cost::binaryCycles(chip, op, type, n, true,
                                                                     regions);
                                 },
                                 {0, 1, {}}));
  }
  if (!loss.logarithms)
    plan.steps[2].needs.push_back({1, 0});
  return plan;
}

void check(const SoftmaxLoss &l) {
  const auto type = l.x.elementType();
  if (l.x.rank() != 2 || (type != poplar::FLOAT && type != poplar::HALF) || l.labels.rank() != 1 ||
      l.labels.dim(0) != l.x.dim(0) || l.labels.elementType() != poplar::UNSIGNED_INT)
    throw poputil::poplibs_error(
        base::str("popnn::softmaxLossGradient: x is ", type, base::list(l.x.shape()),
                  " and the labels are ", l.labels.elementType(), base::list(l.labels.shape()),
                  "; they must be FLOAT or HALF of [rows][classes] and UNSIGNED_INT of [rows]"));
  if (l.scale.valid() && l.scale.numElements() != 1 && l.scale.numElements() != l.x.dim(0))
    throw poputil::poplibs_error(base::str("popnn::softmaxLossGradient: a scale of shape ",
                                           base::list(l.scale.shape()), " for ", l.x.dim(0),
                                           " rows; it must have one element, or one per row"));
}

} // namespace

poplar::Tensor softmaxLossGradient(poplar::Graph &graph, const SoftmaxLoss &loss,
                                   poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(loss.x, loss.labels));
  check(loss);
  auto dx = graph.clone(loss.x, {di, "gradient"});
  std::vector<openipu::Used> uses{openipu::out(dx), openipu::in(loss.x), openipu::in(loss.labels)};
  if (loss.scale.valid())
    uses.push_back(openipu::in(loss.scale.flatten()));
  auto plan = planOf(graph, loss, dx);
  const kernels::SoftmaxLossOf attributes{loss.logarithms, loss.knownScale};
  prog.add(openipu::operation(
      graph,
      {kernels::softmaxLossGradient, std::move(uses), attributes.write(), std::move(plan), {di}}));
  di.addOutput(dx);
  return dx;
}

} // namespace popnn
