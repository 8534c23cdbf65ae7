// SPDX-License-Identifier: MIT
#include "base/Lanes.hpp"
#include "base/Threads.hpp"
#include "conv/Depthwise.hpp"
#include <algorithm>

namespace poplin::conv {

using base::Lanes;
using base::lanes;
using base::lanesAt;

namespace {

constexpr std::size_t unrolled = 4;    // vectors of sums at a time
constexpr std::size_t mostShares = 16; // by the sizes alone

// sums[c] += sum over i of x[xs[i] + c] * y[ys[i] + c]
OPENIPU_SIMD void addProducts(float *sums, std::size_t channels, const float *x, const float *y,
                              const std::int64_t *xs, const std::int64_t *ys, std::size_t count) {
  std::size_t c = 0;
  for (; c + unrolled * lanes <= channels; c += unrolled * lanes) {
    Lanes own[unrolled];
    for (std::size_t v = 0; v < unrolled; ++v)
      own[v] = lanesAt(sums + c + v * lanes);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t v = 0; v < unrolled; ++v)
        own[v] += lanesAt(x + xs[i] + c + v * lanes) * lanesAt(y + ys[i] + c + v * lanes);
    for (std::size_t v = 0; v < unrolled; ++v)
      lanesAt(sums + c + v * lanes) = own[v];
  }
  for (; c + lanes <= channels; c += lanes) {
    Lanes own = lanesAt(sums + c);
    for (std::size_t i = 0; i < count; ++i)
      own += lanesAt(x + xs[i] + c) * lanesAt(y + ys[i] + c);
    lanesAt(sums + c) = own;
  }
  for (; c < channels; ++c)
    for (std::size_t i = 0; i < count; ++i)
      sums[c] += x[xs[i] + std::int64_t(c)] * y[ys[i] + std::int64_t(c)];
}

} // namespace

OPENIPU_SIMD void addTo(float *__restrict to, const float *__restrict from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] += from[i];
}

DepthwiseWeightGradient::DepthwiseWeightGradient(const Geometry &g, const openipu::KernelArgs &args)
    : g_(g), x_(args.inputs[1], 1, 1), dy_(args.inputs[0], 1, 1) {
  const auto all = tables(g, x_.field);
  rows_ = all.rows;
  std::vector<std::int64_t> yLast;
  outputOffsets(g, dy_.field, yRows_, yLast);
  last_ = meetings(all.last, yLast);
}

// One row of outputs of one image.
void DepthwiseWeightGradient::addRow(const float *x, const float *dy, std::size_t index,
                                     float *sums) const {
  const auto batch = std::int64_t(index / rows_.outputs);
  const auto row = index % rows_.outputs;
  for (std::size_t k1 = 0; k1 < rows_.kernels; ++k1)
    if (const auto offset = rows_.at(row, k1); offset >= 0)
      for (std::size_t k2 = 0; k2 < last_.size(); ++k2)
        addProducts(sums + (k1 * last_.size() + k2) * g_.groups, g_.groups,
                    x + batch * x_.batch + offset, dy + batch * dy_.batch + yRows_[row],
                    last_[k2].x.data(), last_[k2].y.data(), last_[k2].x.size());
}

void DepthwiseWeightGradient::run(const openipu::KernelArgs &args, float alpha, float beta) {
  const auto &dw = args.outputs[0];
  if (dw.elements == 0)
    return;
  const float *dy = dy_.fetch(args.inputs[0], Slot::Gradient);
  const float *x = x_.fetch(args.inputs[1], Slot::Operand);
  const auto channels = g_.groups, all = g_.kernelPositions() * channels;
  const auto rows = g_.batch * rows_.outputs;
  const auto shares = std::clamp<std::size_t>(rows, 1, mostShares);
  float *sums = scratch(Slot::Weights, shares * all + lanes);
  base::parallelFor(shares, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto s = begin; s < end; ++s) {
      std::fill_n(sums + s * all, all, 0.f);
      for (auto i = rows * s / shares; i < rows * (s + 1) / shares; ++i)
        addRow(x, dy, i, sums + s * all);
    }
  });
  for (std::size_t s = 1; s < shares; ++s)
    addTo(sums, sums + s * all, all);
  const auto offsets = kernelOffsets(g_, dw);
  for (std::size_t k = 0; k < g_.kernelPositions(); ++k) {
    Strided to{nullptr, dw.type, 0, dw.strides[0]};
    to.data = Strided{dw.data, dw.type, 1, dw.strides[0]}.at(offsets[k], 0).data;
    unpack(sums + k * channels, channels, 1, channels, to, alpha, beta);
  }
}

} // namespace poplin::conv
