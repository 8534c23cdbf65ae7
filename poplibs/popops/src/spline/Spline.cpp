// SPDX-License-Identifier: MIT
// Spline convolution in two halves (popops/kernels/Spline.hpp): checks, plans and calls.
#include "popops/kernels/Spline.hpp"
#include "openipu/Operation.hpp"
#include "popops/SplineBasis.hpp"
#include "popops/SplineWeighting.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/TileMapping.hpp"
#include <base/Text.hpp>
#include <cmath>

namespace popops {

namespace {

using poplar::Tensor;

void require(bool holds, const char *name, const std::string &what) {
  if (!holds)
    throw poputil::poplibs_error(base::str("popops::", name, ": ", what));
}

std::string told(const Tensor &t) { return base::str(t.elementType(), t.shapeToString()); }

bool isReal(const Tensor &t) {
  return t.elementType() == poplar::FLOAT || t.elementType() == poplar::HALF;
}

void checkBasis(const Tensor &pseudo, const Tensor &kernelSize, const Tensor &isOpenSpline,
                const Tensor &basis, const Tensor &weightIndex, unsigned degree) {
  const char *name = "splineBasis";
  require(degree >= 1 && degree <= 3, name,
          base::str("the degree is ", degree, "; it must be 1, 2 or 3."));
  require(pseudo.rank() == 2 && isReal(pseudo), name,
          "the coordinates are " + told(pseudo) +
              "; they must be float or half [edges,dimensions].");
  std::size_t dims = pseudo.dim(1), products = 1;
  for (std::size_t d = 0; d < dims; ++d)
    products *= degree + 1;
  require(kernelSize.rank() == 1 && kernelSize.dim(0) == dims &&
              kernelSize.elementType() == poplar::INT,
          name,
          base::str("the kernel's size is ", told(kernelSize), "; it must be int[", dims, "]."));
  require(
      isOpenSpline.rank() == 1 && isOpenSpline.dim(0) == dims &&
          isOpenSpline.elementType() == poplar::UNSIGNED_CHAR,
      name,
      base::str("isOpenSpline is ", told(isOpenSpline), "; it must be unsigned char[", dims, "]."));
  std::vector<std::size_t> shape{pseudo.dim(0), products};
  require(basis.shape() == shape && basis.elementType() == pseudo.elementType(), name,
          base::str("the basis is ", told(basis), "; it must be ", pseudo.elementType(),
                    base::list(shape), "."));
  require(
      weightIndex.shape() == shape && weightIndex.elementType() == poplar::INT, name,
      base::str("the index is ", told(weightIndex), "; it must be int", base::list(shape), "."));
}

void checkWeighting(const Tensor &input, const Tensor &weight, const Tensor &basis,
                    const Tensor &weightIndex) {
  const char *name = "splineWeighting";
  require(input.rank() == 2 && isReal(input), name,
          "the input is " + told(input) + "; it must be float or half [edges,channels].");
  require(weight.rank() == 3 && weight.elementType() == input.elementType() &&
              weight.dim(1) == input.dim(1),
          name,
          base::str("the weights are ", told(weight), "; they must be ", input.elementType(),
                    "[knots,", input.dim(1), ",channels]."));
  require(basis.rank() == 2 && basis.elementType() == input.elementType() &&
              basis.dim(0) == input.dim(0),
          name,
          base::str("the basis is ", told(basis), "; it must be ", input.elementType(), "[",
                    input.dim(0), ",products]."));
  require(weightIndex.shape() == basis.shape() && weightIndex.elementType() == poplar::INT, name,
          base::str("the index is ", told(weightIndex), "; it must be int", basis.shapeToString(),
                    "."));
}

} // namespace

void splineBasis(poplar::Graph &graph, const Tensor &pseudo, const Tensor &kernelSize,
                 const Tensor &isOpenSpline, const Tensor &basis, const Tensor &weightIndex,
                 unsigned degree, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(pseudo, kernelSize, basis, degree));
  checkBasis(pseudo, kernelSize, isOpenSpline, basis, weightIndex, degree);
  if (basis.numElements() == 0)
    return;
  // Per product and coordinate: a multiplication, the floor, the polynomial and the knot.
  const auto &chip = openipu::chipOf(graph);
  std::uint64_t perProduct = pseudo.dim(1) * (12 + 4 * degree);
  openipu::Plan plan;
  auto step = poputil::whereItLies(
      graph, basis, "Basis",
      base::str("popops::SplineBasis<", pseudo.elementType(), ",", degree, ">"),
      [&](std::uint64_t n, std::uint32_t) {
        return chip.onWorkers(20 + chip.workerShare(n) * perProduct);
      });
  std::uint64_t bytes = graph.getTarget().getTypeSize(pseudo.elementType()) * pseudo.dim(1);
  for (auto &work : step.tiles)
    work.bytesIn = bytes;
  plan.add(std::move(step));
  prog.add(openipu::operation(graph,
                              {kernels::splineBasis,
                               {openipu::out(basis), openipu::out(weightIndex), openipu::in(pseudo),
                                openipu::in(kernelSize), openipu::in(isOpenSpline)},
                               kernels::SplineDegree{degree}.write(),
                               std::move(plan),
                               {di, "splineBasis"}}));
}

Tensor splineWeighting(poplar::Graph &graph, const Tensor &input, const Tensor &weight,
                       const Tensor &basis, const Tensor &weightIndex,
                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, weight, basis, weightIndex));
  checkWeighting(input, weight, basis, weightIndex);
  auto out =
      graph.addVariable(input.elementType(), {input.dim(0), weight.dim(2)}, {di, "weighted"});
  poputil::mapTensorLinearly(graph, out);
  di.addOutput(out);
  if (out.numElements() == 0)
    return out;
  const auto &chip = openipu::chipOf(graph);
  std::uint64_t products = basis.dim(1) * weight.dim(1);
  std::uint64_t bytes = graph.getTarget().getTypeSize(input.elementType());
  auto step = poputil::whereItLies(
      graph, out, "Weighting", base::str("popops::SplineWeighting<", input.elementType(), ">"),
      [&](std::uint64_t n, std::uint32_t) {
        return chip.onWorkers(20 + chip.workerShare(n) * (5 + 4 * products));
      });
  for (auto &work : step.tiles)
    work.bytesIn = bytes * (products + basis.dim(1)) + 4 * basis.dim(1);
  step.flops = 3 * out.numElements() * products;
  openipu::Plan plan;
  plan.add(std::move(step));
  prog.add(openipu::operation(graph, {kernels::splineWeighting,
                                      {openipu::out(out), openipu::in(input), openipu::in(weight),
                                       openipu::in(basis), openipu::in(weightIndex)},
                                      "",
                                      std::move(plan),
                                      {di, "splineWeighting"}}));
  return out;
}

} // namespace popops
