// SPDX-License-Identifier: MIT
#include "popops/kernels/Spline.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include "rearrange/Strided.hpp"
#include <cmath>

namespace popops {
namespace {

using openipu::KernelArgs;
using openipu::KernelOperand;

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
                kernels::SplineDegree::read(args.attributes).degree};
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

const openipu::Registered basisKernel{{.name = kernels::splineBasis, .run = runBasis}};
const openipu::Registered weightingKernel{{.name = kernels::splineWeighting, .run = runWeighting}};

} // namespace
} // namespace popops
