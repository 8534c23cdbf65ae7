// SPDX-License-Identifier: MIT
// With few levels, whole vectors are compared with each level and the counts of "below" subtracted;
// with many, each element is looked up.
#include "popops/kernels/Histogram.hpp"
#include "base/Simd.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include "rearrange/Strided.hpp"
#include <cmath>

namespace popops {
namespace {

using openipu::KernelArgs;
using openipu::TypeId;

constexpr std::size_t block = 4096;
constexpr std::size_t fewLevels = 48;

OPENIPU_SIMD std::uint32_t countBelow(const float *x, std::size_t n, float level) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < n; ++i)
    count += x[i] < level ? 1 : 0;
  return count;
}

OPENIPU_SIMD void makeAbsolute(float *x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    x[i] = std::fabs(x[i]);
}

// Adds to counts[levels + 1]. NaN is below no level, so it counts as the last.
void countBlock(const float *x, std::size_t n, const std::vector<float> &levels,
                std::uint64_t *counts) {
  if (levels.size() > fewLevels) {
    for (std::size_t i = 0; i < n; ++i)
      ++counts[std::upper_bound(levels.begin(), levels.end(), x[i]) - levels.begin()];
    return;
  }
  std::uint32_t before = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    auto below = countBelow(x, n, levels[l]);
    counts[l] += below - before;
    before = below;
  }
  counts[levels.size()] += n - before;
}

void run(const KernelArgs &args) {
  const auto [absolute, update] = kernels::HistogramOf::read(args.attributes);
  const auto &in = args.inputs[0], &out = args.outputs[0];
  std::vector<float> levels(strided::rowLength(args.inputs[1]));
  strided::readFloats(args.inputs[1], 0, levels.data());
  std::size_t bins = levels.size() + 1, rows = strided::rowCount(in), n = strided::rowLength(in);
  std::size_t perRow = (n + block - 1) / block;
  std::vector<std::vector<std::uint64_t>> counts(base::numThreads(),
                                                 std::vector<std::uint64_t>(bins, 0));
  auto stride = strided::rowStride(in);
  base::parallelFor(rows * perRow, 1 + block / (n + 1),
                    [&, absolute = absolute](std::size_t begin, std::size_t end, unsigned thread) {
                      float x[block];
                      std::uint16_t halves[block];
                      for (std::size_t task = begin; task < end; ++task) {
                        std::size_t first = task % perRow * block;
                        std::size_t count = std::min(block, n - first);
                        auto at =
                            strided::rowOffset(in, task / perRow) + std::int64_t(first) * stride;
                        if (in.type == TypeId::Half) {
                          strided::gather(in.as<const std::uint16_t>() + at, stride, halves, count);
                          base::halfToFloat(halves, x, count);
                        } else {
                          strided::gather(in.as<const float>() + at, stride, x, count);
                        }
                        if (absolute)
                          makeAbsolute(x, count);
                        countBlock(x, count, levels, counts[thread].data());
                      }
                    });
  for (std::size_t b = 0; b < bins; ++b) {
    std::uint64_t total = 0;
    for (const auto &own : counts)
      total += own[b];
    auto at = std::int64_t(b) * out.strides[0];
    if (out.type == TypeId::Float)
      out.as<float>()[at] = float(total) + (update ? out.as<float>()[at] : 0.0f);
    else
      out.as<std::uint32_t>()[at] =
          std::uint32_t(total) + (update ? out.as<std::uint32_t>()[at] : 0u);
  }
}

const openipu::Registered registered{{.name = kernels::histogram, .run = run}};

} // namespace
} // namespace popops
