// SPDX-License-Identifier: MIT
// SIGMOID, TANH, RELU and GELU_ERF forward are popops' unary vertices, HARD_SIGMOID a generated
// one; the rest are NonLinearity vertices. With v vectors for each of W workers:
//   forward  1D  9 + W (20 + (2 + op + (v - 1) vec + 1 + op) + tail)
//   gradient 1D  9 + W (20 + 4 + (v - 1) vec + 1 + tail)
//   2D, a worker: 14 + the same for its share, without 9 + W * 20, and 9 per region
#include "NonLinearityCost.hpp"
#include "popnn/NonLinearityDefUtil.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/NonLinearityCycles.hpp"

namespace popnn {
namespace {

using Inner = popops::cost::NonLinearityLoop;

Inner forwardInner(NonLinearityType type, bool half) {
  switch (type) {
  case NonLinearityType::RELU:
    return {1, 1};
  case NonLinearityType::SIGMOID:
    return half ? Inner{2, 4} : Inner{5, 10};
  case NonLinearityType::TANH:
    return half ? Inner{1, 2} : Inner{5, 10};
  case NonLinearityType::GELU:
    return popops::cost::geluLoop(half);
  case NonLinearityType::GELU_ERF:
    return half ? Inner{15, 15} : Inner{30, 30};
  default:
    return popops::cost::swishLoop(half);
  }
}
Inner gradientInner(NonLinearityType type, bool half) {
  switch (type) {
  case NonLinearityType::GELU:
    return half ? Inner{5, 5} : Inner{10, 10};
  case NonLinearityType::GELU_ERF:
    return half ? Inner{15, 15} : Inner{30, 30};
  case NonLinearityType::SWISH:
    return half ? Inner{7, 9} : Inner{10, 15};
  default:
    return {3, 3};
  }
}

} // namespace

using popops::expr::UnaryOpType;

static bool unaryOf(NonLinearityType type, UnaryOpType &op) {
  switch (type) {
  case NonLinearityType::SIGMOID:
    op = UnaryOpType::SIGMOID;
    return true;
  case NonLinearityType::TANH:
    op = UnaryOpType::TANH;
    return true;
  case NonLinearityType::RELU:
    op = UnaryOpType::RELU;
    return true;
  case NonLinearityType::GELU_ERF:
    op = UnaryOpType::GELU_ERF;
    return true;
  default:
    return false;
  }
}

std::uint64_t nonLinearityCycles(const arch::Chip &chip, NonLinearityType nonLinearity,
                                 const poplar::Type &type, std::uint64_t n, bool inPlace,
                                 unsigned regions) {
  UnaryOpType unary;
  if (unaryOf(nonLinearity, unary))
    return popops::cost::unaryCycles(chip, unary, type, n, inPlace, regions);
  if (nonLinearity == NonLinearityType::HARD_SIGMOID) // multiply, add, clamp
    return popops::cost::fusedCycles(chip, 3, 1, type, n, regions);
  bool half = type == poplar::HALF;
  auto inner = forwardInner(nonLinearity, half);
  return popops::cost::nonLinearityCycles(chip, n, regions, popops::cost::vectorWidth(chip, type),
                                          inner, 3 + 2 * inner.op);
}

std::uint64_t nonLinearityGradientCycles(const arch::Chip &chip, NonLinearityType nonLinearity,
                                         const poplar::Type &type, std::uint64_t n,
                                         unsigned regions) {
  if (nonLinearity == NonLinearityType::HARD_SIGMOID) // two comparisons, and, multiply, select
    return popops::cost::fusedCycles(chip, 5, 2, type, n, regions);
  bool half = type == poplar::HALF;
  return popops::cost::nonLinearityCycles(chip, n, regions, popops::cost::vectorWidth(chip, type),
                                          gradientInner(nonLinearity, half), 5);
}

std::uint64_t nonLinearityVertexCycles(const arch::Chip &chip, NonLinearityType nonLinearity,
                                       const poplar::Type &type, std::uint64_t n, bool gradient) {
  const bool half = type == poplar::HALF;
  if (gradient)
    return popops::cost::nonLinearityCycles(chip, n, 1, popops::cost::vectorWidth(chip, type),
                                            gradientInner(nonLinearity, half), 5);
  const auto inner = forwardInner(nonLinearity, half);
  return popops::cost::nonLinearityCycles(chip, n, 1, popops::cost::vectorWidth(chip, type), inner,
                                          3 + 2 * inner.op);
}

std::uint64_t nonLinearityWorkerCycles(const arch::Chip &chip, NonLinearityType nonLinearity,
                                       const poplar::Type &type,
                                       const std::vector<std::uint64_t> &regions, bool gradient) {
  const bool half = type == poplar::HALF;
  const auto inner =
      gradient ? gradientInner(nonLinearity, half) : forwardInner(nonLinearity, half);
  std::uint64_t cycles = 14;
  for (auto n : regions)
    cycles += 9 + popops::cost::loopCycles(n, popops::cost::vectorWidth(chip, type), inner,
                                           gradient ? 5 : 3 + 2 * inner.op);
  return cycles;
}

unsigned nonLinearityFlops(NonLinearityType nonLinearity, bool gradient) {
  switch (nonLinearity) {
  case NonLinearityType::GELU:
    return gradient ? 15 : 8;
  case NonLinearityType::SWISH:
    return gradient ? 5 : 2;
  case NonLinearityType::HARD_SIGMOID:
    return gradient ? 1 : 4;
  default:
    return gradient ? 3 : 1;
  }
}

std::string nonLinearityVertex(NonLinearityType nonLinearity, const poplar::Type &type,
                               bool inPlace) {
  UnaryOpType unary;
  std::string end = inPlace ? "InPlace" : "";
  if (unaryOf(nonLinearity, unary))
    return "popops::UnaryOp1D" + end + "<popops::expr::UnaryOpType::" + asString(nonLinearity) +
           "," + type.toString() + ">";
  if (nonLinearity == NonLinearityType::HARD_SIGMOID)
    return "popops::map::HardSigmoid_" + type.toString();
  return "popnn::NonLinearity1D" + end + "<" + type.toString() +
         ",popnn::NonLinearityType::" + asString(nonLinearity) + ">";
}

} // namespace popnn
