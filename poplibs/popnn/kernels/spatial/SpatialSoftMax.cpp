// SPDX-License-Identifier: MIT
// One pass per field for the maximum and one for all sums.
#include "popnn/kernels/SpatialSoftMax.hpp"
#include "poplin/Rows.hpp"
#include "softmax/SoftmaxLoops.hpp"

namespace popnn {
namespace {

namespace rows = poplin::rows;
using openipu::KernelArgs;

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
  const bool softmax = kernels::SpatialSoftMaxOf::read(args.attributes).softmax;
  float temperature = rows::table(args.inputs[1], 8)[0];
  auto body = [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto f = begin; f < end; ++f)
      field(args, f, temperature, softmax);
  };
  auto size = args.inputs[0].shape[1] * args.inputs[0].shape[2];
  base::parallelFor(args.inputs[0].shape[0], std::max<std::size_t>(1, 4096 / (size + 1)),
                    std::ref(body));
}

const openipu::Registered registered{{.name = kernels::spatialSoftMax2D, .run = run}};

} // namespace
} // namespace popnn
