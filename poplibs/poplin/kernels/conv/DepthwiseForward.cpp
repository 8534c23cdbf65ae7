// SPDX-License-Identifier: MIT
#include "base/Arithmetic.hpp"
#include "base/Lanes.hpp"
#include "base/Threads.hpp"
#include "conv/Depthwise.hpp"
#include <algorithm>
#include <cmath>

namespace poplin::conv {

using base::Lanes;
using base::lanes;
using base::lanesAt;

namespace {

constexpr std::size_t mostOutputs = 8;  // beside each other, whose sums are in registers
constexpr std::size_t blockWidth = 64;  // channels that are done for many outputs before the next
constexpr std::size_t enoughParts = 16; // for any number of threads

// Some outputs beside each other, of some channels.
struct Outputs {
  const float *const *x;          // what the first output meets
  const std::uint32_t *positions; // of the kernel, that meet it
  std::size_t count;              // of both
  const float *w;                 // [kernel position][channel]
  std::size_t channels;
  std::int64_t xStep = 0; // from what one output meets to the next's
  float *y = nullptr;
  std::int64_t yStep = 0;
  const float *bias = nullptr; // by channel
  float least = 0, most = 0;
  ActivationLoop activation = nullptr; // after these limits
};

// T outputs of V vectors of channels from c on.
template <int T, int V> OPENIPU_INLINE void sumOutputs(const Outputs &o, std::size_t c) {
  Lanes sums[T][V];
#pragma GCC unroll 8
  for (int t = 0; t < T; ++t)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v)
      sums[t][v] = lanesAt(o.bias + c + v * lanes);
  for (std::size_t i = 0; i < o.count; ++i) {
    const float *x = o.x[i] + c, *w = o.w + o.positions[i] * o.channels + c;
    Lanes weights[V];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v)
      weights[v] = lanesAt(w + v * lanes);
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t, x += o.xStep)
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v)
        sums[t][v] += lanesAt(x + v * lanes) * weights[v];
  }
  float results[T * V * lanes];
  float *y = o.activation ? results : o.y + c;
  const auto yStep = o.activation ? V * std::int64_t(lanes) : o.yStep;
#pragma GCC unroll 8
  for (int t = 0; t < T; ++t)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      Lanes sum = sums[t][v];
      sum = sum < o.least ? o.least - Lanes{} : sum;
      lanesAt(y + t * yStep + v * lanes) = sum > o.most ? o.most - Lanes{} : sum;
    }
  if (o.activation) {
    o.activation(results, T * V * lanes);
    for (int t = 0; t < T; ++t)
      for (int v = 0; v < V; ++v)
        lanesAt(o.y + t * o.yStep + c + v * lanes) = lanesAt(results + (t * V + v) * lanes);
  }
}

// The same for fewer channels than a vector has.
OPENIPU_INLINE void sumFewChannels(const Outputs &o, std::size_t outputs) {
  for (std::size_t t = 0; t < outputs; ++t) {
    float *y = o.y + std::int64_t(t) * o.yStep;
    for (std::size_t c = 0; c < o.channels; ++c) {
      float sum = o.bias[c];
      for (std::size_t i = 0; i < o.count; ++i)
        sum += o.x[i][std::int64_t(t) * o.xStep + std::int64_t(c)] *
               o.w[o.positions[i] * o.channels + c];
      y[c] = std::min(std::max(sum, o.least), o.most);
    }
    if (o.activation)
      o.activation(y, o.channels);
  }
}

// A last vector that is not full begins earlier: its first sums are made twice.
template <int T> OPENIPU_SIMD void sumChannels(const Outputs &o) {
  std::size_t c = 0;
  if (o.channels < lanes)
    return sumFewChannels(o, T);
  if (T < 3) // one output alone would wait for its own sums
    for (; c + 4 * lanes <= o.channels; c += 4 * lanes)
      sumOutputs<T, 4>(o, c);
  for (; c + 2 * lanes <= o.channels; c += 2 * lanes)
    sumOutputs<T, 2>(o, c);
  for (; c + lanes <= o.channels; c += lanes)
    sumOutputs<T, 1>(o, c);
  if (c < o.channels)
    sumOutputs<T, 1>(o, o.channels - lanes);
}

using SumChannels = void (*)(const Outputs &);
const SumChannels sumChannelsOf[mostOutputs + 1] = {nullptr,        sumChannels<1>, sumChannels<2>,
                                                    sumChannels<3>, sumChannels<4>, sumChannels<5>,
                                                    sumChannels<6>, sumChannels<7>, sumChannels<8>};

} // namespace

bool isDepthwise(const Geometry &g) { return g.in == 1 && g.out == 1 && g.groups >= lanes / 2; }

DepthwiseForward::DepthwiseForward(const Geometry &g, const openipu::KernelArgs &args,
                                   Activation activation)
    : g_(g), x_(args.inputs[0], 1, 1), function_(activation),
      activation_(activationLoop(activation)) {
  tables_ = tables(g, x_.field);
  const auto offsets = [&](const openipu::KernelOperand &t) {
    Offsets out;
    outputOffsets(g, {t.strides.begin() + 2, t.strides.end()}, out.rows, out.last);
    return out;
  };
  const auto &y = args.outputs[0];
  y_ = offsets(y);
  direct_ = y.type == poplar::TypeId::Float && y.strides[1] == 1;
  for (const auto &t : args.inputs.subspan(2)) {
    extras_.push_back(offsets(t));
    direct_ = direct_ && isPerChannel(t);
  }
  findRuns();
}

// Outputs of a row that meet the same columns of the kernel, at a constant distance.
void DepthwiseForward::findRuns() {
  const auto &last = tables_.last;
  const auto meets = [&](std::size_t j) {
    std::vector<std::uint32_t> met;
    for (std::size_t k = 0; k < last.kernels; ++k)
      if (last.at(j, k) >= 0)
        met.push_back(std::uint32_t(k));
    return met;
  };
  for (std::size_t j = 0; j < last.outputs; ++j) {
    auto met = meets(j);
    const auto yStep = j ? y_.last[j] - y_.last[j - 1] : 0;
    const auto xStep = j && !met.empty() ? last.at(j, met[0]) - last.at(j - 1, met[0]) : 0;
    bool joins = !runs_.empty() && runs_.back().columns == met &&
                 (runs_.back().count == 1 || runs_.back().yStep == yStep);
    for (auto k : met) {
      const auto step = joins ? last.at(j, k) - last.at(j - 1, k) : 0;
      joins = joins && step == xStep && (runs_.back().count == 1 || step == runs_.back().xStep);
    }
    if (!joins)
      runs_.push_back({j, 0, 0, 0, std::move(met)});
    else
      runs_.back().xStep = xStep, runs_.back().yStep = yStep;
    ++runs_.back().count;
  }
}

std::size_t DepthwiseForward::blocks() const {
  return std::max<std::size_t>(1, g_.groups / blockWidth);
}

// [block of channels][kernel position][channel of the block]
const float *DepthwiseForward::packedWeights(const openipu::KernelArgs &args) {
  const auto &w = args.inputs[1];
  if (w.steady && kept_.data() && generation_ == args.generation)
    return kept_.data();
  const auto steps = g_.kernelPositions(), size = steps * g_.groups + lanes;
  float *packed = w.steady ? kept_.grow(size) : scratch(Slot::Weights, size);
  const auto offsets = kernelOffsets(g_, w);
  for (std::size_t b = 0; b < blocks(); ++b) {
    const auto first = b * blockWidth;
    const auto width = b + 1 == blocks() ? g_.groups - first : blockWidth;
    for (std::size_t k = 0; k < steps; ++k)
      pack(Strided{w.data, w.type, 1, w.strides[0]}.at(offsets[k], std::int64_t(first)), 1, width,
           packed + first * steps + k * width, width);
  }
  generation_ = args.generation;
  return packed;
}

// What is added to every output of a channel, as floats; it may lie where outputs go.
const float *DepthwiseForward::biases(const openipu::KernelArgs &args) const {
  float *sums = scratch(Slot::Rows, 2 * g_.groups), *one = sums + g_.groups;
  std::fill_n(sums, g_.groups, 0.f);
  for (const auto &t : direct_ ? args.inputs.subspan(2) : args.inputs.subspan(0, 0)) {
    pack(Strided{t.data, t.type, 1, t.strides[1]}, 1, g_.groups, one, g_.groups);
    addTo(sums, one, g_.groups);
  }
  return sums;
}

// Rows of outputs of one image, of a block of channels.
struct DepthwiseForward::Part {
  const float *image, *weights, *bias;
  std::size_t batch, firstRow, endRow, firstChannel, channels;
};

void DepthwiseForward::run(const openipu::KernelArgs &args) {
  if (args.outputs[0].elements == 0)
    return;
  const float *x = x_.fetch(args.inputs[0], Slot::Operand);
  const float *weights = packedWeights(args), *bias = biases(args);
  const auto rows = tables_.rows.outputs, steps = g_.kernelPositions();
  const auto parts = std::min(rows, std::max<std::size_t>(1, enoughParts / (g_.batch * blocks())));
  const auto all = g_.batch * blocks() * parts;
  const auto work = g_.batch * rows * tables_.last.outputs * g_.groups * steps / all + 1;
  const auto grain = std::max<std::size_t>(1, (1 << 16) / work);
  base::parallelFor(all, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i) {
      const auto part = i % parts, block = i / parts % blocks(), n = i / parts / blocks();
      const auto first = block * blockWidth;
      runPart(args, {x + std::int64_t(n) * x_.batch + std::int64_t(first), weights + first * steps,
                     bias + first, n, rows * part / parts, rows * (part + 1) / parts, first,
                     block + 1 == blocks() ? g_.groups - first : blockWidth});
    }
  });
}

void DepthwiseForward::runPart(const openipu::KernelArgs &args, const Part &part) const {
  thread_local std::vector<const float *> inputs;
  thread_local std::vector<std::uint32_t> positions;
  for (auto row = part.firstRow; row < part.endRow; ++row)
    for (const auto &run : runs_) {
      inputs.clear(), positions.clear();
      for (std::size_t k = 0; k < tables_.rows.kernels; ++k)
        if (const auto offset = tables_.rows.at(row, k); offset >= 0)
          for (auto column : run.columns) {
            inputs.push_back(part.image + offset + tables_.last.at(run.first, column));
            positions.push_back(std::uint32_t(k * tables_.last.kernels + column));
          }
      runRun(args, part, row, run, inputs, positions);
    }
}

// In tiles of about the same size.
void DepthwiseForward::runRun(const openipu::KernelArgs &args, const Part &part, std::size_t row,
                              const Run &run, std::vector<const float *> &inputs,
                              const std::vector<std::uint32_t> &positions) const {
  const auto &y = args.outputs[0];
  Outputs work{inputs.data(), positions.data(), inputs.size(), part.weights, part.channels};
  work.xStep = run.xStep, work.bias = part.bias;
  const bool limited = function_ == Activation::Relu || function_ == Activation::Relu6;
  work.least = direct_ && limited ? 0.f : -INFINITY;
  work.most = direct_ && function_ == Activation::Relu6 ? 6.f : INFINITY;
  work.activation = direct_ && !limited ? activation_ : nullptr;
  work.yStep = direct_ ? run.yStep : std::int64_t(part.channels);
  const auto tiles = base::ceilDiv(run.count, mostOutputs);
  for (std::size_t t = 0; t < tiles; ++t) {
    const auto from = run.count * t / tiles, to = run.count * (t + 1) / tiles;
    const auto at = place(y, y_, part, row, run.first + from);
    work.y = direct_ ? y.as<float>() + at : scratch(Slot::Result, mostOutputs * part.channels);
    sumChannelsOf[to - from](work);
    for (auto &x : inputs)
      x += std::int64_t(to - from) * run.xStep;
    for (auto j = from; !direct_ && j < to; ++j)
      finish(args, part, row, run.first + j, work.y + (j - from) * part.channels);
  }
}

std::int64_t DepthwiseForward::place(const openipu::KernelOperand &t, const Offsets &offsets,
                                     const Part &part, std::size_t row, std::size_t last) {
  return std::int64_t(part.batch) * t.strides[0] + offsets.rows[row] + offsets.last[last] +
         std::int64_t(part.firstChannel) * t.strides[1];
}

// What is added may lie where the results go: it is read before they come.
void DepthwiseForward::finish(const openipu::KernelArgs &args, const Part &part, std::size_t row,
                              std::size_t last, float *sums) const {
  float *room = scratch(Slot::Extras, part.channels);
  for (std::size_t e = 0; e < extras_.size(); ++e) {
    const auto &t = args.inputs[2 + e];
    const auto offset = place(t, extras_[e], part, row, last);
    if (t.type == poplar::TypeId::Float && t.strides[1] == 1) {
      addTo(sums, t.as<const float>() + offset, part.channels);
      continue;
    }
    pack(Strided{t.data, t.type, 1, t.strides[1]}.at(offset, 0), 1, part.channels, room,
         part.channels);
    addTo(sums, room, part.channels);
  }
  if (activation_)
    activation_(sums, part.channels);
  const auto &y = args.outputs[0];
  unpack(sums, part.channels, 1, part.channels,
         Strided{y.data, y.type, 1, y.strides[1]}.at(place(y, y_, part, row, last), 0));
}

} // namespace poplin::conv
