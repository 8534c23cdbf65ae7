// SPDX-License-Identifier: MIT
// Places of a program that run one piece of code (openipu/Outline.hpp): which steps are the same
// instructions as others, and what their operands are on the device. In an image such a place is a
// Sequence with the number of the code; copies to and from the buffers of its arguments are Copy
// steps that say so.
#pragma once
#include "analysis/Effects.hpp"
#include "executable/Image.hpp"

namespace poplar::analysis {

// Null for other steps.
const executable::step::Sequence *outlined(const executable::Step &step);
// A copy of an argument: the device does it, the host does not.
bool isPassed(const executable::Step &step);

// By step: the step whose code it runs, `none` where it has code of its own.
std::vector<std::uint32_t> sharedCode(const executable::Image &image);

// By step: the outlined sequence it is part of, `none` outside.
std::vector<std::uint32_t> outlinedOwners(const executable::Image &image);

// By variable: whether it is a buffer for arguments, which the host has no use for.
std::vector<std::uint8_t> outlineBuffers(const executable::Image &image);

// The variables of one outlined sequence that stand for others on the device.
class Renaming {
public:
  Renaming(const executable::Image &image, const executable::step::Sequence &outlined);
  // What is done to tensors is done to buffers instead, and to a buffer as a whole.
  void apply(Effects &effects) const;

private:
  struct Buffer {
    RangeSet elements; // of the tensor, in its variable
    std::uint32_t var;
    std::uint64_t size;
  };
  std::map<std::uint32_t, std::vector<Buffer>> buffers_; // by the tensor's variable
};

} // namespace poplar::analysis
