// SPDX-License-Identifier: MIT
// Convolutions of layers with few channels, on data whose innermost dimension is the batch: a lane
// of a vector is an image, weights are broadcast, and no lane is idle however few channels there
// are. Batches that fill no vectors do so together with their neighbours in a row, if all outputs
// of a row meet the same kernel elements.
#pragma once
#include "conv/Geometry.hpp"
#include "epilogue/Finish.hpp"
#include <optional>

namespace poplin::conv {

// Outputs that meet the same kernel elements and follow each other at the same distance in the
// input.
struct Segment {
  std::size_t begin = 0, count = 0;
  std::int64_t step = 0; // in the input, from one output to the next
  std::vector<std::uint32_t> kernels;
};
std::vector<Segment> segments(const Table &table);

// True if an operand [batch][channels][field...] is of floats with the batch innermost, or the last
// dimension of the field if there is but one image.
bool batchIsInnermost(const openipu::KernelOperand &t);
bool fillsVectors(std::size_t batch);
// So few that images and positions make better lanes than channels do.
bool hasFewChannels(const Geometry &g);

class ImagesForward {
public:
  ImagesForward(const Geometry &g, const openipu::KernelArgs &args, Activation activation);
  void run(const openipu::KernelArgs &args);
  // The batch must be innermost in the activations; what is added must be a value per channel, or
  // lie as the output does.
  static bool possible(const Geometry &g, const openipu::KernelArgs &args);

private:
  // Inputs and weights that are summed for all outputs of a pair of segments.
  struct Cell {
    std::vector<std::int64_t> x;  // offsets for the first output, by channel and kernel position
    std::vector<std::uint32_t> w; // rows of the packed weights
    std::vector<const float *> xs, ws;
  };
  // Some outputs in a line, for all output channels and the images of one vector. With a length:
  // so many floats that follow each other, outputs and their images.
  struct Job {
    std::uint32_t cell, vectors, group;
    std::int64_t x, y, xStep, yStep;
    std::size_t length = 0;
  };
  void addCell(const Segment &rows, const Segment &last);
  void addBatches(std::uint32_t cell, const Segment &rows, const Segment &last);
  void addLines(std::uint32_t cell, const Segment &rows, const Segment &last);
  void runLine(Job job, const openipu::KernelArgs &args) const;
  void packWeights(const openipu::KernelOperand &w);
  void sumBiases(const openipu::KernelArgs &args);
  void runJob(const Job &job, const openipu::KernelArgs &args) const;

  Geometry g_;
  const micro::Kernels &kernels_;
  std::vector<std::int64_t> yRows_, yLast_, kernelOffsets_;
  Tables tables_;
  std::int64_t xChannel_, yChannel_;
  std::vector<Cell> cells_;
  std::vector<Job> jobs_;
  std::vector<float> weights_; // [group][in][kernel position][out]
  std::vector<float> biases_;  // the sum of the values per channel
  std::uint64_t generation_ = 0;
  const float *boundTo_ = nullptr;
  Activation activation_;
  std::size_t grain_ = 1;
};

class ImagesWeightGradient {
public:
  ImagesWeightGradient(const Geometry &g, const openipu::KernelArgs &args);
  void run(const openipu::KernelArgs &args, float alpha, float beta);
  // Kernel elements must walk over the input evenly.
  static bool possible(const Geometry &g, const openipu::KernelArgs &args);

private:
  // Kernel elements that meet the same outputs: their sums run over the same stretches of memory.
  struct Family {
    std::vector<std::int64_t> x, dw;       // offsets per member: in the input and in the gradient
    std::vector<std::int64_t> xRun, dyRun; // stretches, the same for all members
    std::size_t length = 0;
    std::size_t firstJob = 0, endJob = 0;
  };
  struct Job {
    std::uint32_t family, group, outBegin, outCount, begin, count;
  };
  // A part of a family's stretches, for which its jobs run while the memory is near.
  struct Chunk {
    std::size_t family, firstRun, runs, begin, length;
  };
  void addFamily(const std::vector<std::uint32_t> &rowKernels, const Segment &row,
                 const std::vector<std::uint32_t> &lastKernels, const Segment &last);
  void addChunks(std::size_t family);
  void runSmall(const openipu::KernelArgs &args, float alpha, float beta) const;
  void runJob(const Job &job, const Chunk &chunk, const openipu::KernelArgs &args,
              float *sums) const;
  void store(const Job &job, const openipu::KernelArgs &args, const float *sums, float alpha,
             float beta) const;

  Geometry g_;
  const micro::Kernels &kernels_;
  Tables tables_;
  std::vector<std::int64_t> yRows_, yLast_, dwOffsets_;
  std::int64_t xChannel_, dyChannel_, dwOut_, dwIn_, dwGroup_;
  std::vector<Family> families_;
  std::vector<Job> jobs_;
  std::vector<Chunk> chunks_;
  std::size_t grain_ = 1, shares_ = 1; // of the chunks, each with sums of its own
  std::vector<float> sums_;            // [share][job][sum]
};

} // namespace poplin::conv
