// SPDX-License-Identifier: MIT
#include "base/Threads.hpp"
#include "conv/Channels.hpp"
#include <algorithm>

namespace poplin::conv {
namespace {

constexpr std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }
// Positions whose channels are multiplied together: both operands stay in first-level cache while
// all blocks of channels use them.
constexpr std::size_t pairsAtOnce = 96;

} // namespace

// The gradient of some kernel rows and input channels, over all images.
struct ChannelsWeightGradient::Piece {
  const float *x, *dy;
  float *sums; // [step of the piece][channel of the piece][out, padded]
  std::size_t group, kernelRow, firstChannel, channels;
  const float **xs, **dys; // of pairs that meet
  // Rows that come next; every tile asks for some of their elements, so that they are near in time.
  const float *nextX[pairsAtOnce], *nextDy[pairsAtOnce];
  std::size_t nextRows, nextPosition, perTile;
};

ChannelsWeightGradient::ChannelsWeightGradient(const Geometry &g, const openipu::KernelArgs &args)
    : g_(g), x_(args.inputs[1], g.groups, 1), dy_(args.inputs[0], g.groups, kernels_.lanes) {
  auto all = tables(g, x_.field);
  std::vector<std::int64_t> yRows, yLast;
  outputOffsets(g, dy_.field, yRows, yLast);
  auto meetings = [](const Table &table, const std::vector<std::int64_t> &y) {
    std::vector<Meeting> out(table.kernels);
    for (std::size_t k = 0; k < table.kernels; ++k)
      for (std::size_t o = 0; o < table.outputs; ++o)
        if (table.at(o, k) >= 0) {
          out[k].x.push_back(table.at(o, k));
          out[k].y.push_back(y[o]);
        }
    return out;
  };
  rows_ = meetings(all.rows, yRows);
  last_ = meetings(all.last, yLast);
  for (const auto &meeting : last_)
    if (meeting.x.size() > longest_.x.size())
      longest_ = meeting;
  padded_ = ceilDiv(g.out, kernels_.lanes) * kernels_.lanes;
  width_ = kernels_.vectors * kernels_.lanes;
  channelBlock_ = std::max<std::uint64_t>(1, g.in);
  while (g.groups * rows_.size() * ceilDiv(g.in, channelBlock_) < 6 && channelBlock_ > 12)
    channelBlock_ = ceilDiv(channelBlock_, 2);
  channelBlock_ = std::min<std::size_t>(channelBlock_, 64);
}

void ChannelsWeightGradient::run(const openipu::KernelArgs &args, float alpha, float beta) {
  const auto &dw = args.outputs[0];
  if (dw.elements == 0)
    return;
  const float *dy = dy_.fetch(args.inputs[0], Slot::Gradient);
  const float *x = x_.fetch(args.inputs[1], Slot::Operand);
  auto offsets = kernelOffsets(g_, dw);
  auto blocks = ceilDiv(g_.in, channelBlock_), kernelRows = rows_.size();
  base::parallelFor(g_.groups * kernelRows * blocks, 1,
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (auto i = begin; i < end; ++i) {
                        Piece piece{x,
                                    dy,
                                    nullptr,
                                    i / blocks / kernelRows,
                                    i / blocks % kernelRows,
                                    i % blocks * channelBlock_,
                                    0,
                                    nullptr,
                                    nullptr,
                                    {},
                                    {},
                                    0,
                                    0,
                                    0};
                        piece.channels = std::min(channelBlock_, g_.in - piece.firstChannel);
                        auto size = last_.size() * piece.channels * padded_;
                        piece.sums = scratch(Slot::Result, size);
                        std::fill_n(piece.sums, size, 0.f);
                        piece.xs = static_cast<const float **>(
                            scratchBytes(Slot::Pointers, 2 * pairsAtOnce * sizeof(float *)));
                        piece.dys = piece.xs + pairsAtOnce;
                        runPiece(piece);
                        for (std::size_t k = 0; k < last_.size(); ++k) {
                          auto offset = std::int64_t(piece.group) * dw.strides[0] +
                                        std::int64_t(piece.firstChannel) * dw.strides[2] +
                                        offsets[piece.kernelRow * last_.size() + k];
                          Strided to{nullptr, dw.type, dw.strides[2], dw.strides[1]};
                          to.data = Strided{dw.data, dw.type, 1, 1}.at(offset, 0).data;
                          unpack(piece.sums + k * piece.channels * padded_, padded_, piece.channels,
                                 g_.out, to, alpha, beta);
                        }
                      }
                    });
}

const float *ChannelsWeightGradient::rowOf(const Piece &p, std::size_t row,
                                           const float **dy) const {
  const auto &rows = rows_[p.kernelRow];
  auto n = std::int64_t(row / rows.x.size()), r = std::int64_t(row % rows.x.size());
  *dy = p.dy + n * dy_.batch + rows.y[r] + std::int64_t(p.group) * dy_.group;
  return p.x + n * x_.batch + rows.x[r] + std::int64_t(p.group) * x_.group +
         std::int64_t(p.firstChannel);
}

void ChannelsWeightGradient::runPiece(Piece &p) const {
  // Some rows of the field at a time, so that all kernel positions find them in the cache.
  auto perRow = std::max<std::size_t>(1, g_.dims.back().output);
  auto rowsAtOnce = std::max<std::size_t>(1, pairsAtOnce / perRow);
  auto total = g_.batch * rows_[p.kernelRow].x.size();
  auto tiles = last_.size() * ceilDiv(p.channels, kernels_.rowsFor[kernels_.vectors]) *
               ceilDiv(padded_, width_);
  for (std::size_t first = 0; first < total; first += rowsAtOnce) {
    auto end = std::min(total, first + rowsAtOnce);
    p.nextRows = std::min(total, end + rowsAtOnce) - end, p.nextPosition = 0;
    for (std::size_t r = 0; r < p.nextRows; ++r)
      p.nextX[r] = rowOf(p, end + r, &p.nextDy[r]);
    p.perTile = ceilDiv(p.nextRows * longest_.x.size(), tiles);
    for (std::size_t k = 0; k < last_.size(); ++k) {
      const auto &last = last_[k];
      std::size_t pairs = 0;
      for (auto row = first; row < end; ++row) {
        const float *dy, *x = rowOf(p, row, &dy);
        for (std::size_t i = 0; i < last.x.size(); ++i) {
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
  }
}

void ChannelsWeightGradient::prefetch(Piece &p) const {
  auto perRow = longest_.x.size(), total = p.nextRows * perRow;
  auto end = std::min(total, p.nextPosition + p.perTile);
  for (; p.nextPosition < end; ++p.nextPosition) {
    auto row = p.nextPosition / perRow, i = p.nextPosition % perRow;
    for (std::size_t c = 0; c < p.channels; c += 16)
      __builtin_prefetch(p.nextX[row] + longest_.x[i] + c, 0, 2);
    for (std::size_t c = 0; c < padded_; c += 16)
      __builtin_prefetch(p.nextDy[row] + longest_.y[i] + c, 0, 2);
  }
}

void ChannelsWeightGradient::accumulate(Piece &p, std::size_t k, std::size_t pairs) const {
  if (pairs == 0)
    return;
  for (std::size_t column = 0; column < padded_; column += width_) {
    auto vectors = std::min(width_, padded_ - column) / kernels_.lanes;
    auto count = ceilDiv(p.channels, kernels_.rowsFor[vectors]);
    for (std::size_t t = 0; t < count; ++t) {
      auto first = p.channels * t / count, rows = p.channels * (t + 1) / count - first;
      prefetch(p);
      float *targets[micro::maxRows];
      for (std::size_t r = 0; r < rows; ++r)
        targets[r] = p.sums + (k * p.channels + first + r) * padded_ + column;
      kernels_.outer[vectors][rows](
          {p.xs, p.dys, pairs, first, column, kernels_.lanes, targets, true, kernels_.lanes});
    }
  }
}

} // namespace poplin::conv
