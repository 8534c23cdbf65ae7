// SPDX-License-Identifier: MIT
#include "popops/kernels/CumulativeSum.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include "rearrange/Strided.hpp"

namespace popops {
namespace {

using openipu::KernelArgs;
using openipu::TypeId;

template <class T, class Sum> void sumRow(T *row, std::size_t n) {
  Sum sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += Sum(row[i]);
    row[i] = T(sum);
  }
}

void run(const KernelArgs &args) {
  const auto &in = args.inputs[0], &out = args.outputs[0];
  std::size_t n = strided::rowLength(in), rows = n ? in.elements / n : 0;
  base::parallelFor(rows, 1 + 16384 / (n + 1), [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> floats(n);
    std::vector<std::uint32_t> words(n);
    for (std::size_t row = begin; row < end; ++row) {
      if (in.type == TypeId::Float || in.type == TypeId::Half) {
        strided::readFloats(in, row, floats.data());
        sumRow<float, double>(floats.data(), n);
        strided::writeFloats(out, row, floats.data());
      } else {
        strided::readRow(in, row, words.data());
        sumRow<std::uint32_t, std::uint32_t>(words.data(), n);
        strided::writeRow(out, row, words.data());
      }
    }
  });
}

const openipu::Registered registered{{.name = kernels::cumulativeSum, .run = run}};

} // namespace
} // namespace popops
