// SPDX-License-Identifier: MIT
// Convolutions whose groups are single channels, on channels-last data: neighbouring channels are
// the lanes of a vector, every output is a sum of a few inputs times weights of the same channel.
#pragma once
#include "conv/Channels.hpp"

namespace poplin::conv {

// Fewer channels fill no vector.
bool isDepthwise(const Geometry &g);

class DepthwiseForward {
public:
  // Inputs after the weights are added to the results.
  DepthwiseForward(const Geometry &g, const openipu::KernelArgs &args, Activation activation);
  void run(const openipu::KernelArgs &args);

private:
  struct Offsets { // of positions in an operand like the output
    std::vector<std::int64_t> rows, last;
  };
  struct Row;
  void runRow(const openipu::KernelArgs &args, const Row &row) const;
  void finish(const openipu::KernelArgs &args, const Row &row, std::size_t last, float *sums,
              float *room) const;

  Geometry g_;
  ChannelsLast x_;
  Tables tables_;
  Offsets y_;
  std::vector<Offsets> extras_;
  ActivationLoop activation_;
};

class DepthwiseWeightGradient {
public:
  DepthwiseWeightGradient(const Geometry &g, const openipu::KernelArgs &args);
  // outputs[0] = beta * outputs[0] + alpha * gradient
  void run(const openipu::KernelArgs &args, float alpha, float beta);

private:
  void addRow(const float *x, const float *dy, std::size_t index, float *sums) const;

  Geometry g_;
  ChannelsLast x_, dy_;
  Table rows_;
  std::vector<std::int64_t> yRows_;
  std::vector<Meeting> last_;
};

} // namespace poplin::conv
