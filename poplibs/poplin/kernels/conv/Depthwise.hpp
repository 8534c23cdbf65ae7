// SPDX-License-Identifier: MIT
// Convolutions whose groups are single channels, on channels-last data: neighbouring channels are
// the lanes of a vector, every output is a sum of a few inputs times weights of the same channel.
#pragma once
#include "conv/Channels.hpp"

namespace poplin::conv {

// Fewer channels fill no vector.
bool isDepthwise(const Geometry &g);

// to[i] += from[i]
void addTo(float *to, const float *from, std::size_t n);

class DepthwiseForward {
public:
  // Inputs after the weights are added to the results.
  DepthwiseForward(const Geometry &g, const openipu::KernelArgs &args, Activation activation);
  void run(const openipu::KernelArgs &args);

private:
  struct Offsets { // of positions in an operand like the output
    std::vector<std::int64_t> rows, last;
  };
  struct Run { // outputs of a row that meet the same columns of the kernel
    std::size_t first, count;
    std::int64_t xStep, yStep;
    std::vector<std::uint32_t> columns;
  };
  struct Part;
  void findRuns();
  std::size_t blocks() const; // of channels
  const float *packedWeights(const openipu::KernelArgs &args);
  const float *biases(const openipu::KernelArgs &args) const;
  void runPart(const openipu::KernelArgs &args, const Part &part) const;
  void runRun(const openipu::KernelArgs &args, const Part &part, std::size_t row, const Run &run,
              std::vector<const float *> &inputs,
              const std::vector<std::uint32_t> &positions) const;
  void finish(const openipu::KernelArgs &args, const Part &part, std::size_t row, std::size_t last,
              float *sums) const;
  static std::int64_t place(const openipu::KernelOperand &t, const Offsets &offsets,
                            const Part &part, std::size_t row, std::size_t last);

  Geometry g_;
  ChannelsLast x_;
  Tables tables_;
  std::vector<Run> runs_;
  Offsets y_;
  std::vector<Offsets> extras_;
  Activation function_;
  ActivationLoop activation_;
  bool direct_ = false;          // sums become outputs in registers
  KeptFloats kept_;              // packed weights, while they are steady
  std::uint64_t generation_ = 0; // that they are of
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
