// SPDX-License-Identifier: MIT
#include "base/Arithmetic.hpp"
#include "base/Simd.hpp"
#include "base/Threads.hpp"
#include "conv/Channels.hpp"
#include <algorithm>

namespace poplin::conv {
namespace {

// Positions whose channels are multiplied together: both operands stay near
// while all blocks of channels use them.
constexpr std::size_t pairsAtOnce = 128;
constexpr std::size_t keptSums = 1 << 16; // that stay in second-level cache beside the operands
constexpr std::size_t pieces = 8, leastPositions = 128; // of a share

OPENIPU_SIMD void addTo(float *__restrict to, const float *__restrict from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] += from[i];
}

} // namespace

// The gradient of some kernel rows and input channels, over a share of the
// images' rows.
struct ChannelsWeightGradient::Piece {
  const float *x, *dy;
  float *sums; // [kernel position][channel][out, padded], of the piece's first
  std::size_t perKernel;
  std::size_t group, firstKernel, endKernel, firstChannel, channels, firstRow, endRow;
  const float *xs[pairsAtOnce], *dys[pairsAtOnce]; // pairs that meet
  // Pairs of the rows that come next. Every tile asks for a vector of each, so
  // that they are near in time.
  const float *nextXs[pairsAtOnce], *nextDys[pairsAtOnce];
  std::size_t nextPairs = 0, nextVector = 0;
};

std::vector<Meeting> meetings(const Table &last, const std::vector<std::int64_t> &y) {
  std::vector<Meeting> out(last.kernels);
  for (std::size_t k = 0; k < last.kernels; ++k)
    for (std::size_t o = 0; o < last.outputs; ++o)
      if (last.at(o, k) >= 0) {
        out[k].x.push_back(last.at(o, k));
        out[k].y.push_back(y[o]);
      }
  return out;
}

ChannelsWeightGradient::ChannelsWeightGradient(const Geometry &g, const openipu::KernelArgs &args)
    : g_(g), x_(args.inputs[1], g.groups, 1), dy_(args.inputs[0], g.groups, kernels_.lanes) {
  auto all = tables(g, x_.field);
  rows_ = all.rows;
  std::vector<std::int64_t> yLast;
  outputOffsets(g, dy_.field, yRows_, yLast);
  last_ = meetings(all.last, yLast);
  for (std::size_t k = 0; k < last_.size(); ++k)
    if (last_[k].x.size() > last_[longest_].x.size())
      longest_ = k;
  padded_ = base::roundUp(g.out, kernels_.lanes);
  width_ = kernels_.vectors * kernels_.lanes;
  split();
}

// Few sums: pieces differ in what they add up, so that each operand is read
// once. Many: in rows of the kernel and in channels. Depends on the sizes
// alone.
void ChannelsWeightGradient::split() {
  const auto in = std::max<std::size_t>(1, g_.in);
  bool few = in * g_.kernelPositions() * padded_ <= keptSums;
  kernelParts_ = few ? 1 : rows_.kernels;
  channelBlock_ = few ? in : std::min<std::size_t>(in, 64);
  auto blocks = [&] { return g_.groups * kernelParts_ * base::ceilDiv(in, channelBlock_); };
  auto positions = g_.batch * g_.outputPositions();
  shares_ = std::min({base::ceilDiv(pieces, std::max<std::size_t>(1, blocks())),
                      positions / leastPositions, g_.batch * rows_.outputs});
  shares_ = std::max<std::size_t>(1, shares_);
  while (blocks() * shares_ < 6 && channelBlock_ > 12)
    channelBlock_ = base::ceilDiv(channelBlock_, 2);
}

// Where the gradient goes, and how.
struct ChannelsWeightGradient::Result {
  const openipu::KernelOperand &dw;
  float alpha, beta;
  std::vector<std::int64_t> kernels; // offsets

  void store(const float *sums, std::size_t padded, std::size_t group, std::size_t kernel,
             std::size_t channel, std::size_t channels) const {
    auto offset = std::int64_t(group) * dw.strides[0] + std::int64_t(channel) * dw.strides[2] +
                  kernels[kernel];
    Strided to{nullptr, dw.type, dw.strides[2], dw.strides[1]};
    to.data = Strided{dw.data, dw.type, 1, 1}.at(offset, 0).data;
    unpack(sums, padded, channels, dw.shape[1], to, alpha, beta);
  }
};

void ChannelsWeightGradient::run(const openipu::KernelArgs &args, float alpha, float beta) {
  if (args.outputs[0].elements == 0)
    return;
  Result result{args.outputs[0], alpha, beta, kernelOffsets(g_, args.outputs[0])};
  const float *dy = dy_.fetch(args.inputs[0], Slot::Gradient);
  const float *x = x_.fetch(args.inputs[1], Slot::Operand);
  auto all = g_.groups * g_.kernelPositions() * g_.in * padded_;
  float *sums = shares_ > 1 ? scratch(Slot::Weights, shares_ * all) : nullptr;
  auto count = g_.groups * kernelParts_ * base::ceilDiv(g_.in, channelBlock_) * shares_;
  base::parallelFor(count, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i) {
      auto p = piece(i, sums, all);
      p.x = x, p.dy = dy;
      runPiece(p);
      for (auto k = p.firstKernel; !sums && k < p.endKernel; ++k)
        result.store(sumsOf(p, k), padded_, p.group, k, p.firstChannel, p.channels);
    }
  });
  if (sums)
    addShares(sums, all, result);
}

// `sums`: of all shares, if there are several.
ChannelsWeightGradient::Piece ChannelsWeightGradient::piece(std::size_t i, float *sums,
                                                            std::size_t all) const {
  auto blocks = base::ceilDiv(g_.in, channelBlock_), rows = g_.batch * rows_.outputs;
  auto kernels = g_.kernelPositions() / kernelParts_, share = i / blocks % shares_;
  Piece p;
  p.group = i / blocks / shares_ / kernelParts_;
  p.firstKernel = i / blocks / shares_ % kernelParts_ * kernels;
  p.endKernel = p.firstKernel + kernels;
  p.firstChannel = i % blocks * channelBlock_;
  p.channels = std::min(channelBlock_, g_.in - p.firstChannel);
  p.firstRow = rows * share / shares_;
  p.endRow = rows * (share + 1) / shares_;
  p.perKernel = (sums ? g_.in : p.channels) * padded_;
  auto first = (p.group * g_.kernelPositions() + p.firstKernel) * g_.in + p.firstChannel;
  p.sums =
      sums ? sums + share * all + first * padded_ : scratch(Slot::Result, kernels * p.perKernel);
  return p;
}

// Adds up the shares in order and stores what they come to.
void ChannelsWeightGradient::addShares(float *sums, std::size_t all, const Result &result) const {
  constexpr std::size_t some = 32; // channels
  auto kernels = g_.kernelPositions(), parts = base::ceilDiv(g_.in, some);
  auto grain = base::ceilDiv(16384, shares_ * some * padded_);
  base::parallelFor(
      g_.groups * kernels * parts, grain, [&](std::size_t begin, std::size_t end, unsigned) {
        for (auto i = begin; i < end; ++i) {
          auto channel = i % parts * some, matrix = i / parts;
          auto channels = std::min<std::size_t>(some, g_.in - channel);
          float *total = sums + (matrix * g_.in + channel) * padded_;
          for (std::size_t share = 1; share < shares_; ++share)
            addTo(total, total + share * all, channels * padded_);
          result.store(total, padded_, matrix / kernels, matrix % kernels, channel, channels);
        }
      });
}

// Where a piece's row of the output begins, and the row of the input that one
// row of the kernel meets there; null if it meets none.
const float *ChannelsWeightGradient::rowOf(const Piece &p, std::size_t row, std::size_t kernelRow,
                                           const float **dy) const {
  auto n = std::int64_t(row / rows_.outputs);
  auto output = row % rows_.outputs;
  auto offset = rows_.at(output, kernelRow);
  *dy = p.dy + n * dy_.batch + yRows_[output] + std::int64_t(p.group) * dy_.group;
  return offset < 0 ? nullptr
                    : p.x + n * x_.batch + offset + std::int64_t(p.group) * x_.group +
                          std::int64_t(p.firstChannel);
}

void ChannelsWeightGradient::runPiece(Piece &p) const {
  for (auto k = p.firstKernel; k < p.endKernel; ++k)
    std::fill_n(sumsOf(p, k), p.channels * padded_, 0.f);
  // Some rows of the field at a time, so that all kernel positions find them in
  // the cache.
  auto perRow = std::max<std::size_t>(1, g_.dims.back().output);
  auto rowsAtOnce = std::max<std::size_t>(1, pairsAtOnce / perRow);
  for (auto first = p.firstRow; first < p.endRow; first += rowsAtOnce) {
    auto end = std::min(p.endRow, first + rowsAtOnce);
    comingPairs(p, end, std::min(p.endRow, end + rowsAtOnce));
    for (auto k = p.firstKernel; k < p.endKernel; ++k)
      runRows(p, first, end, k);
  }
}

float *ChannelsWeightGradient::sumsOf(const Piece &p, std::size_t k) const {
  return p.sums + (k - p.firstKernel) * p.perKernel;
}

void ChannelsWeightGradient::runRows(Piece &p, std::size_t first, std::size_t end,
                                     std::size_t k) const {
  const auto &last = last_[k % last_.size()];
  std::size_t pairs = 0;
  for (auto row = first; row < end; ++row) {
    const float *dy, *x = rowOf(p, row, k / last_.size(), &dy);
    for (std::size_t i = 0; x && i < last.x.size(); ++i) {
      p.xs[pairs] = x + last.x[i];
      p.dys[pairs] = dy + last.y[i];
      if (++pairs == pairsAtOnce) {
        accumulate(p, k, pairs);
        pairs = 0;
      }
    }
  }
  accumulate(p, k, pairs);
}

// Of the rows that come next, the pairs at the lower end of the kernel: most
// others are here.
void ChannelsWeightGradient::comingPairs(Piece &p, std::size_t first, std::size_t end) const {
  p.nextPairs = p.nextVector = 0;
  const auto &last = last_[longest_];
  for (auto row = first; row < end; ++row) {
    const float *dy, *x = nullptr;
    for (auto k = p.endKernel; !x && k > p.firstKernel; k -= last_.size())
      x = rowOf(p, row, (k - 1) / last_.size(), &dy);
    for (std::size_t i = 0; x && i < last.x.size() && p.nextPairs < pairsAtOnce; ++i) {
      p.nextXs[p.nextPairs] = x + last.x[i];
      p.nextDys[p.nextPairs++] = dy + last.y[i];
    }
  }
  for (auto i = p.nextPairs; p.nextPairs && i < pairsAtOnce; ++i) // calls may have more pairs
    p.nextXs[i] = p.nextXs[0], p.nextDys[i] = p.nextDys[0];
}

void ChannelsWeightGradient::accumulate(Piece &p, std::size_t k, std::size_t pairs) const {
  if (pairs == 0)
    return;
  float *sums = sumsOf(p, k);
  const auto ofX = base::ceilDiv(p.channels, kernels_.lanes), ofDy = padded_ / kernels_.lanes;
  for (std::size_t column = 0; column < padded_; column += width_) {
    auto vectors = std::min(width_, padded_ - column) / kernels_.lanes;
    auto count = base::ceilDiv(p.channels, kernels_.rowsFor[vectors]);
    for (std::size_t t = 0; t < count; ++t, ++p.nextVector) {
      auto first = p.channels * t / count, rows = p.channels * (t + 1) / count - first;
      float *targets[micro::maxRows];
      for (std::size_t r = 0; r < rows; ++r)
        targets[r] = sums + (first + r) * padded_ + column;
      micro::Outer work{p.xs,           p.dys,   pairs, first,         column,
                        kernels_.lanes, targets, true,  kernels_.lanes};
      if (p.nextPairs && p.nextVector < ofX + ofDy) {
        bool isX = p.nextVector < ofX;
        work.ahead = isX ? p.nextXs : p.nextDys;
        work.aheadOffset = (p.nextVector - (isX ? 0 : ofX)) * kernels_.lanes;
      }
      kernels_.outer[vectors][rows](work);
    }
  }
}

} // namespace poplin::conv
