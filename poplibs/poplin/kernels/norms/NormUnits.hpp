// SPDX-License-Identifier: MIT
// Norms taken apart into units: sets of elements that share their statistics with no other set, and
// small enough to stay in cache while sums are made and used. A unit is [channels][repeat][n], with
// n elements side by side; which dimension lies side by side decides the mode:
//
//   Plain     field positions (or a whole channel of batch norm): one statistic, one parameter a
//   row Layer     channels without a field:      one statistic; parameters differ along the row
//   Batch     batch elements:                statistics differ along the row, one parameter a row
//   Channels  channels with a field:         both differ along the row
//
// Batch norm of channels side by side has no units: all its elements depend on each other.
// Operands that lie otherwise, or are halves, are copied to buffers, a unit at a time.
#pragma once
#include "poplin/kernels/Norms.hpp"
#include "poplin/Rows.hpp"

namespace poplin::norms {

class Units {
public:
  enum class Mode : std::uint8_t { Plain, Layer, Batch, Channels };
  // `data`: the activations first, then tensors of the same shape.
  Units(NormGroups groups, std::initializer_list<const openipu::KernelOperand *> data);

  Mode mode = Mode::Plain;
  std::size_t count = 0, channels = 1, repeat = 1, n = 1;
  std::size_t perStatistic = 0; // elements behind a statistic
  std::size_t statistics = 0;   // of the whole tensor
  std::size_t parameters = 0;   // channels of the whole tensor
  std::size_t groups = 1;       // 1 for batch norm

  std::size_t width(std::size_t unit) const { // n, but for the last columns in mode Batch
    return mode == Mode::Batch ? std::min(n, batch_ - unit / inner_ * n) : n;
  }
  // Index of the parameter of channel c (in modes Layer and Channels: of the row's first element).
  std::size_t parameter(std::size_t unit, std::size_t c) const {
    return unit % inner_ * innerParameter_ + unit / inner_ * outerParameter_ + c * nextParameter_;
  }
  // Index of the statistic of column j.
  std::size_t statistic(std::size_t unit, std::size_t j) const {
    if (mode == Mode::Batch)
      return (unit / inner_ * n + j) * groups + unit % inner_;
    return mode == Mode::Channels ? unit * groups + groupOf[j] : unit;
  }
  std::vector<std::uint32_t> groupOf; // mode Channels: of each channel

  // Floats of one operand of a unit; `channel` and `row` floats from one to the next.
  struct View {
    float *at;
    std::int64_t channel, row;
  };
  View view(unsigned operand, const rows::Data &data, std::size_t unit, unsigned slot,
            bool load) const;
  void bringHome(unsigned operand, const rows::Data &data, std::size_t unit,
                 const View &from) const;
  bool direct(unsigned operand) const { return operands_[operand].direct; }
  // Consecutive units are consecutive rows of one matrix with the same parameters.
  bool isMatrix() const { return mode == Mode::Layer && inner_ == 1; }
  std::int64_t unitStride(unsigned operand) const { return operands_[operand].outer; }

  // Shares of the units for threads, whose number does not depend on that of the threads.
  std::size_t shares() const { return std::min<std::size_t>(count, 32); }
  // body(share, first unit, end)
  template <class Body> void run(const Body &body) const {
    auto range = [&](std::size_t begin, std::size_t end, unsigned) {
      for (auto share = begin; share < end; ++share)
        body(share, count * share / shares(), count * (share + 1) / shares());
    };
    base::parallelFor(shares(), grain_, std::ref(range));
  }

private:
  struct Operand {
    bool direct = false;
    std::int64_t outer = 0, inner = 0, channel = 0, repeat = 0; // steps in memory
    rows::Nest rows;                                            // of a unit, for copies
    rows::Dim row, turned; // elements of rows; of `turned` many rows the columns lie side by side
  };
  void choose(NormGroups groups, const openipu::KernelOperand &x);
  Operand operandOf(const openipu::KernelOperand &t, NormGroups groups) const;

  std::vector<unsigned> field_; // dimensions, outermost first
  std::vector<Operand> operands_;
  std::size_t batch_ = 1, positions_ = 1, perGroup_ = 1;
  std::size_t inner_ = 1, innerParameter_ = 0, outerParameter_ = 0, nextParameter_ = 0, grain_ = 1;
  bool rowIsBatch_ = false; // of batch norm
};

} // namespace poplin::norms
