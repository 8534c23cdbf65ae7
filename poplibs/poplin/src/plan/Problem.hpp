// SPDX-License-Identifier: MIT
// A convolution as the planner sees it: counts only, after the transforms that a plan may apply.
#pragma once
#include "poplin/ConvPlan.hpp"

namespace poplin {

struct FieldDim {
  unsigned out = 1, kernel = 1, in = 1; // elements that are computed with
  unsigned stride = 1, kernelDilation = 1, inputDilation = 1;
  std::uint64_t meetings =
      1; // pairs of output and kernel element that meet an element of the input
  bool kernelFlip = false;
  double valid() const { return double(meetings) / (double(out) * kernel); }
  unsigned inFor(unsigned outSlice, unsigned kernelSlice) const;
};

struct Problem {
  poplar::Type input, partials, interTile, output;
  std::uint64_t groups = 1, batch = 1, inChans = 1, outChans = 1;
  std::vector<FieldDim> dims;
  bool outputPadded = false;           // the output transform adds zeros
  bool rearrangeInput = false;         // a transform makes a new input (or, swapped, new weights)
  std::uint64_t realInputElements = 0; // before expansion: what is exchanged
  std::uint64_t macs() const;
  bool empty() const;
  unsigned kernelElements() const;
};

struct Transform {
  bool swapOperands = false;
  std::vector<unsigned> expandDims, outChanFlattenDims;
  unsigned combineConvGroupsFactor = 1;
};

Problem problemOf(const ConvParams &params, const ConvOptions &options);
// Flatten, then swap, expand and combine.
Problem transformed(const Problem &problem, const Transform &transform);
Transform transformOf(const ConvPlan &plan);
// For vertices that skip no zeros: the zeros of a dilated input are written down.
Problem withZerosWritten(Problem problem);
// The problem as the vertices of a method see it.
inline Problem asSeenBy(Method method, const Problem &problem) {
  return method == Method::SLIC ? withZerosWritten(problem) : problem;
}

} // namespace poplin
