// SPDX-License-Identifier: MIT
// Spline convolution in two halves.
// splineBasis: a coordinate v of a kernel with n knots lies between two of them; u is how far. Of
// the B-spline basis functions of degree m, m + 1 are not zero there:
//   m = 1   1 - u,  u
//   m = 2   (1 - u)^2 / 2,  (-2u^2 + 2u + 1) / 2,  u^2 / 2
//   m = 3   (1 - u)^3 / 6,  (3u^3 - 6u^2 + 4) / 6,  (-3u^3 + 3u^2 + 3u + 1) / 6,  u^3 / 6
// With D coordinates, all products of one function each are wanted, and the knots they belong to,
// numbered with the first coordinate fastest. Open splines end at their last knot, closed ones
// continue at the first.
// splineWeighting: y[e] = sum over s of basis[e][s] * x[e] * W[weightIndex[e][s]].
#include "openipu/Attributes.hpp"
#include "openipu/Operation.hpp"
#include "popops/SplineBasis.hpp"
#include "popops/SplineWeighting.hpp"
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
using poplar::Tensor;

float basisFunction(unsigned degree, unsigned which, float u) {
  float v = 1 - u;
  switch (degree * 4 + which) {
  case 4:
    return v;
  case 5:
    return u;
  case 8:
    return v * v / 2;
  case 9:
    return (-2 * u * u + 2 * u + 1) / 2;
  case 10:
    return u * u / 2;
  case 12:
    return v * v * v / 6;
  case 13:
    return (3 * u * u * u - 6 * u * u + 4) / 6;
  case 14:
    return (-3 * u * u * u + 3 * u * u + 3 * u + 1) / 6;
  default:
    return u * u * u / 6;
  }
}

struct Kernel {
  std::vector<std::int32_t> knots;
  std::vector<std::uint8_t> open;
  unsigned degree;
};

void basisOfEdge(const Kernel &kernel, const std::vector<float> &pseudo, std::vector<float> &basis,
                 std::vector<std::int32_t> &index) {
  for (std::size_t s = 0; s < basis.size(); ++s) {
    std::size_t rest = s;
    std::int64_t knot = 0, scale = 1;
    float product = 1;
    for (std::size_t d = 0; d < pseudo.size(); ++d) {
      unsigned which = rest % (kernel.degree + 1);
      rest /= kernel.degree + 1;
      std::int64_t knots = std::max(1, kernel.knots[d]);
      float v = pseudo[d] * float(knots - std::int64_t(kernel.degree) * (kernel.open[d] != 0));
      float whole = std::floor(v);
      knot += (std::int64_t(whole) + which) % knots * scale;
      scale *= knots;
      product *= basisFunction(kernel.degree, which, v - whole);
    }
    basis[s] = product;
    index[s] = std::int32_t(knot);
  }
}

void runBasis(const KernelArgs &args) {
  const auto &basis = args.outputs[0], &index = args.outputs[1], &pseudo = args.inputs[0];
  Kernel kernel{std::vector<std::int32_t>(pseudo.shape[1]),
                std::vector<std::uint8_t>(pseudo.shape[1]),
                openipu::AttributeReader(args.attributes).get<std::uint32_t>()};
  strided::readRow(args.inputs[1], 0, kernel.knots.data());
  strided::readRow(args.inputs[2], 0, kernel.open.data());
  base::parallelFor(pseudo.shape[0], 256, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> coordinates(pseudo.shape[1]), values(basis.shape[1]);
    std::vector<std::int32_t> knots(basis.shape[1]);
    for (std::size_t e = begin; e < end; ++e) {
      strided::readFloats(pseudo, e, coordinates.data());
      basisOfEdge(kernel, coordinates, values, knots);
      strided::writeFloats(basis, e, values.data());
      strided::writeRow(index, e, knots.data());
    }
  });
}

std::vector<float> allFloats(const KernelOperand &t) {
  std::vector<float> values(t.elements);
  std::size_t n = strided::rowLength(t);
  for (std::size_t row = 0; n && row < t.elements / n; ++row)
    strided::readFloats(t, row, &values[row * n]);
  return values;
}

void runWeighting(const KernelArgs &args) {
  const auto &out = args.outputs[0], &in = args.inputs[0], &weight = args.inputs[1],
             &basis = args.inputs[2], &index = args.inputs[3];
  auto weights = allFloats(weight);
  std::size_t ins = weight.shape[1], outs = weight.shape[2], s = basis.shape[1];
  base::parallelFor(in.shape[0], 1 + 16384 / (s * ins * outs + 1),
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      std::vector<float> x(ins), b(s), y(outs);
                      std::vector<std::int32_t> knots(s);
                      for (std::size_t e = begin; e < end; ++e) {
                        strided::readFloats(in, e, x.data());
                        strided::readFloats(basis, e, b.data());
                        strided::readRow(index, e, knots.data());
                        std::fill(y.begin(), y.end(), 0.0f);
                        for (std::size_t k = 0; k < s; ++k) {
                          if (knots[k] < 0 || std::size_t(knots[k]) >= weight.shape[0])
                            continue;
                          const float *w = &weights[std::size_t(knots[k]) * ins * outs];
                          for (std::size_t i = 0; i < ins; ++i)
                            for (std::size_t o = 0; o < outs; ++o)
                              y[o] += b[k] * x[i] * w[i * outs + o];
                        }
                        strided::writeFloats(out, e, y.data());
                      }
                    });
}

const openipu::Registered basisKernel{{"popops.splineBasis", runBasis, {}, {}, nullptr}};
const openipu::Registered weightingKernel{
    {"popops.splineWeighting", runWeighting, {}, {}, nullptr}};

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
                              {"popops.splineBasis",
                               {openipu::out(basis), openipu::out(weightIndex), openipu::in(pseudo),
                                openipu::in(kernelSize), openipu::in(isOpenSpline)},
                               openipu::AttributeWriter().put(std::uint32_t(degree)).take(),
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
  prog.add(openipu::operation(graph, {"popops.splineWeighting",
                                      {openipu::out(out), openipu::in(input), openipu::in(weight),
                                       openipu::in(basis), openipu::in(weightIndex)},
                                      "",
                                      std::move(plan),
                                      {di, "splineWeighting"}}));
  return out;
}

} // namespace popops
