// SPDX-License-Identifier: MIT
// Convolutions on channels-last data: a block of output positions meets the
// packed weights of all kernel positions in registers, reading inputs where
// they are. Operands that lie otherwise, or are half, are copied to
// channels-last floats first.
#pragma once
#include "conv/Geometry.hpp"
#include "epilogue/Finish.hpp"

namespace poplin::conv {

// An operand [batch][channels][field...] as floats [batch][field...][channels],
// where it is if possible, else as a copy that is renewed by fetch(). `padTo`:
// the copy's channels per group are filled up with zeros to a multiple.
class ChannelsLast {
public:
  ChannelsLast() {}
  ChannelsLast(const openipu::KernelOperand &t, std::size_t groups, std::size_t padTo);
  const float *fetch(const openipu::KernelOperand &t, Slot slot) const;
  std::int64_t batch = 0, group = 0; // strides
  std::vector<std::int64_t> field;

private:
  bool direct_ = false;
  std::size_t groups_ = 1, perGroup_ = 0, padded_ = 0;
};

class ChannelsForward {
public:
  // Inputs after the weights are added to the results.
  ChannelsForward(const Geometry &g, const openipu::KernelArgs &args,
                  Activation activation = Activation::None);
  void run(const openipu::KernelArgs &args);

private:
  struct Block;
  struct Tile { // rows of a block that are done in registers
    std::size_t rows, firstPointer, firstStep, steps;
    bool joined; // a step is a whole row of the kernel, not one position
  };
  struct Lists { // of a block of output positions
    std::vector<Tile> tiles;
    std::vector<const float *> rows;     // [step][row] of every tile
    std::vector<std::uint32_t> steps;    // kernel positions of every tile that meet inputs
    std::vector<std::int64_t> targets;   // offset in y of every position
    std::vector<std::int64_t> extras[2]; // and in what is added
  };
  struct Extra { // offsets in an added operand, as those in the output
    std::vector<std::int64_t> rows, last;
    bool perChannel = false;
  };
  void packWeights(const openipu::KernelOperand &w, float *packed) const;
  const float *packedWeights(const openipu::KernelArgs &args);
  micro::Finish finishTile(const Block &block, const Tile &tile, std::size_t panel,
                           std::size_t position, const float **pointers) const;
  void place(Block &block, std::size_t index) const;
  void buildAll(const openipu::KernelArgs &args, const float *x);
  void runBlock(Block &block) const;
  void buildRows(Block &block) const;
  struct Position { // of an output: its image, and offsets by kernel row and column
    const float *image;
    const std::int64_t *rows, *lasts;
  };
  void findJoins();
  void addTargets(Block &block, std::size_t n, std::size_t row, std::size_t last) const;
  void joinedPointers(Block &block, const Position *positions, std::size_t rows,
                      const float **to) const;
  void allPointers(Block &block, const Position *positions, std::size_t rows,
                   const float **to) const;
  void runPanel(Block &block, std::size_t panel) const;
  const float *comingInputs(const Block &block, const Tile &next, std::size_t k,
                            std::size_t depth) const;
  const float *comingWeights(const micro::Rows &work, std::size_t tile, std::size_t tiles) const;
  std::size_t panelWidth(std::size_t panel) const;
  bool sumsOnto(std::size_t extra) const; // it lies where the sums go

  Geometry g_;
  const micro::Kernels &kernels_ = micro::kernels();
  ChannelsLast x_;
  Tables tables_;
  std::vector<std::uint32_t> rowOrder_, lastOrder_;
  std::vector<std::int64_t> yRows_, yLast_, kernelOffsets_;
  std::int64_t yBatch_ = 0, yChannel_ = 1;
  std::vector<Extra> extras_;
  std::vector<std::size_t> held_; // extras that the output holds
  KeptFloats kept_;               // packed weights, while they are steady
  std::uint64_t generation_ = 0;  // that they are of
  std::vector<Lists> built_;      // of all blocks, if they are not too many: the same in every run
  const float *builtFor_ = nullptr;
  Activation activation_;
  bool yDirect_ = false, unpacked_ = false;
  bool joins_ = false;                 // positions of a row of the kernel meet neighbours in memory
  std::vector<std::uint8_t> wholeRow_; // by output of the last dimension
  std::vector<std::uint32_t> rowKind_; // by output of the others
  std::size_t width_ = 0, panels_ = 0, steps_ = 0, positions_ = 0, blockRows_ = 0,
              panelsPerPiece_ = 0;
};

// For one kernel index of the last dimension: outputs it meets, as offsets of both operands.
struct Meeting {
  std::vector<std::int64_t> x, y;
};
// By kernel index; `y`: offsets of the outputs.
std::vector<Meeting> meetings(const Table &last, const std::vector<std::int64_t> &y);

class ChannelsWeightGradient {
public:
  ChannelsWeightGradient(const Geometry &g, const openipu::KernelArgs &args);
  // outputs[0] = beta * outputs[0] + alpha * gradient
  void run(const openipu::KernelArgs &args, float alpha, float beta);

private:
  struct Piece;
  struct Result;
  void split();
  Piece piece(std::size_t index, float *sums, std::size_t all) const;
  void addShares(float *sums, std::size_t all, const Result &result) const;
  const float *rowOf(const Piece &piece, std::size_t row, std::size_t kernelRow,
                     const float **dy) const;
  float *sumsOf(const Piece &piece, std::size_t kernel) const;
  void runPiece(Piece &piece) const;
  void runRows(Piece &piece, std::size_t first, std::size_t end, std::size_t kernel) const;
  void comingPairs(Piece &piece, std::size_t first, std::size_t end) const;
  void accumulate(Piece &piece, std::size_t kernel, std::size_t pairs) const;

  Geometry g_;
  const micro::Kernels &kernels_ = micro::kernels();
  ChannelsLast x_, dy_;
  Table rows_;                      // all dimensions but the last
  std::vector<std::int64_t> yRows_; // offsets of their outputs
  std::vector<Meeting> last_;       // by kernel index of the last dimension
  std::size_t longest_ = 0;         // of the last dimension
  std::size_t width_ = 0, padded_ = 0, channelBlock_ = 0, kernelParts_ = 1, shares_ = 1;
};

// True if an operand [batch][channels][field...] has one value for all of a channel.
bool isPerChannel(const openipu::KernelOperand &t);
// Offsets of kernel positions in a weights operand [group][out][in][kernel...].
std::vector<std::int64_t> kernelOffsets(const Geometry &g, const openipu::KernelOperand &weights);

} // namespace poplin::conv
