// SPDX-License-Identifier: MIT
#include "conv/Depthwise.hpp"

#include "base/Lanes.hpp"
#include "base/Threads.hpp"
#include <algorithm>

namespace poplin::conv {

using base::Lanes;
using base::lanes;
using base::lanesAt;

namespace {

constexpr std::size_t unrolled = 4;    // vectors of sums at a time
constexpr std::size_t mostShares = 16; // of a weight gradient: by the sizes alone

// to[c] = sum over i of x[i][c] * w[i][c]
OPENIPU_SIMD void sumProducts(float *to, std::size_t channels, const float *const *x,
                              const float *const *w, std::size_t count) {
  std::size_t c = 0;
  for (; c + unrolled * lanes <= channels; c += unrolled * lanes) {
    Lanes sums[unrolled] = {};
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t v = 0; v < unrolled; ++v)
        sums[v] += lanesAt(x[i] + c + v * lanes) * lanesAt(w[i] + c + v * lanes);
    for (std::size_t v = 0; v < unrolled; ++v)
      lanesAt(to + c + v * lanes) = sums[v];
  }
  for (; c + lanes <= channels; c += lanes) {
    Lanes sum = {};
    for (std::size_t i = 0; i < count; ++i)
      sum += lanesAt(x[i] + c) * lanesAt(w[i] + c);
    lanesAt(to + c) = sum;
  }
  for (; c < channels; ++c) {
    float sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += x[i][c] * w[i][c];
    to[c] = sum;
  }
}

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

OPENIPU_SIMD void addTo(float *__restrict to, const float *__restrict from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] += from[i];
}

} // namespace

bool isDepthwise(const Geometry &g) { return g.in == 1 && g.out == 1 && g.groups >= lanes / 2; }

// ---- forward

DepthwiseForward::DepthwiseForward(const Geometry &g, const openipu::KernelArgs &args,
                                   Activation activation)
    : g_(g), x_(args.inputs[0], 1, 1), activation_(activationLoop(activation)) {
  tables_ = tables(g, x_.field);
  const auto offsets = [&](const openipu::KernelOperand &t) {
    Offsets out;
    outputOffsets(g, {t.strides.begin() + 2, t.strides.end()}, out.rows, out.last);
    return out;
  };
  y_ = offsets(args.outputs[0]);
  for (const auto &t : args.inputs.subspan(2))
    extras_.push_back(offsets(t));
}

// One row of outputs of one image.
struct DepthwiseForward::Row {
  const float *image, *weights; // weights: [kernel position][channel]
  std::size_t batch, row;
};

void DepthwiseForward::run(const openipu::KernelArgs &args) {
  if (args.outputs[0].elements == 0)
    return;
  const float *x = x_.fetch(args.inputs[0], Slot::Operand);
  const auto &w = args.inputs[1];
  const auto channels = g_.groups, steps = g_.kernelPositions();
  float *weights = scratch(Slot::Weights, steps * channels + lanes);
  const auto offsets = kernelOffsets(g_, w);
  for (std::size_t k = 0; k < steps; ++k)
    pack(Strided{w.data, w.type, 1, w.strides[0]}.at(offsets[k], 0), 1, channels,
         weights + k * channels, channels);
  const auto rows = tables_.rows.outputs;
  const auto work = std::max<std::size_t>(1, tables_.last.outputs * channels * steps);
  const auto grain = std::max<std::size_t>(1, (1 << 16) / work);
  base::parallelFor(g_.batch * rows, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i)
      runRow(args, {x + std::int64_t(i / rows) * x_.batch, weights, i / rows, i % rows});
  });
}

void DepthwiseForward::runRow(const openipu::KernelArgs &args, const Row &at) const {
  const auto channels = g_.groups, across = tables_.last.kernels;
  thread_local std::vector<const float *> inputs, weights;
  thread_local std::vector<float> sums;
  inputs.resize(g_.kernelPositions());
  weights.resize(g_.kernelPositions());
  sums.resize(2 * channels);
  for (std::size_t j = 0; j < tables_.last.outputs; ++j) {
    std::size_t count = 0;
    for (std::size_t k1 = 0; k1 < tables_.rows.kernels; ++k1) {
      const auto row = tables_.rows.at(at.row, k1);
      for (std::size_t k2 = 0; row >= 0 && k2 < across; ++k2)
        if (const auto last = tables_.last.at(j, k2); last >= 0) {
          inputs[count] = at.image + row + last;
          weights[count++] = at.weights + (k1 * across + k2) * channels;
        }
    }
    sumProducts(sums.data(), channels, inputs.data(), weights.data(), count);
    finish(args, at, j, sums.data(), sums.data() + channels);
  }
}

// What is added may lie where the results go: it is read before they come.
void DepthwiseForward::finish(const openipu::KernelArgs &args, const Row &at, std::size_t last,
                              float *sums, float *room) const {
  const auto channels = g_.groups;
  const auto place = [&](const openipu::KernelOperand &t, const Offsets &offsets) {
    return std::int64_t(at.batch) * t.strides[0] + offsets.rows[at.row] + offsets.last[last];
  };
  for (std::size_t e = 0; e < extras_.size(); ++e) {
    const auto &t = args.inputs[2 + e];
    const auto offset = place(t, extras_[e]);
    if (t.type == poplar::TypeId::Float && t.strides[1] == 1) {
      addTo(sums, t.as<const float>() + offset, channels);
      continue;
    }
    pack(Strided{t.data, t.type, 1, t.strides[1]}.at(offset, 0), 1, channels, room, channels);
    addTo(sums, room, channels);
  }
  if (activation_)
    activation_(sums, channels);
  const auto &y = args.outputs[0];
  const auto offset = place(y, y_);
  if (y.type == poplar::TypeId::Float && y.strides[1] == 1) {
    std::copy_n(sums, channels, y.as<float>() + offset);
    return;
  }
  Strided to{nullptr, y.type, 0, y.strides[1]};
  to.data = Strided{y.data, y.type, 1, y.strides[1]}.at(offset, 0).data;
  unpack(sums, channels, 1, channels, to);
}

// ---- weight gradient

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
