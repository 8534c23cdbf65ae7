// SPDX-License-Identifier: MIT
// From parameters to counts, and what the planner's transforms do to them.
#include "Problem.hpp"
#include "base/Arithmetic.hpp"
#include "poplin/ConvUtil.hpp"
#include <algorithm>
#include <numeric>

namespace poplin {

unsigned FieldDim::inFor(unsigned outSlice, unsigned kernelSlice) const {
  const auto span =
      std::uint64_t(outSlice - 1) * stride + std::uint64_t(kernelSlice - 1) * kernelDilation;
  return unsigned(std::min<std::uint64_t>(in, span / inputDilation + 1));
}

std::uint64_t Problem::macs() const {
  auto count = groups * batch * inChans * outChans;
  for (const auto &dim : dims)
    count *= dim.meetings;
  return count;
}

unsigned Problem::kernelElements() const {
  unsigned count = 1;
  for (const auto &dim : dims)
    count *= dim.kernel;
  return count;
}

bool Problem::empty() const {
  return groups * batch * inChans * outChans == 0 ||
         std::any_of(dims.begin(), dims.end(),
                     [](const auto &d) { return d.out == 0 || d.in == 0 || d.kernel == 0; });
}

namespace {

// Outputs that meet an input element at this place of the kernel: o * stride + offset must hit
// [low, low + (in - 1) * dilation] on the grid of the input.
std::uint64_t meetingsAt(std::int64_t offset, std::int64_t low, const FieldDim &dim) {
  const auto last = low + std::int64_t(dim.in - 1) * dim.inputDilation;
  std::uint64_t count = 0;
  if (dim.inputDilation > 1) {
    for (std::int64_t o = 0; o < dim.out; ++o) {
      const auto at = o * dim.stride + offset;
      count += at >= low && at <= last && (at - low) % dim.inputDilation == 0;
    }
    return count;
  }
  const auto first = offset >= low ? 0 : (low - offset + dim.stride - 1) / dim.stride;
  const auto end = offset > last ? 0 : (last - offset) / dim.stride + 1;
  return std::uint64_t(std::max<std::int64_t>(0, std::min<std::int64_t>(end, dim.out) - first));
}

FieldDim dimOf(const ConvParams &p, unsigned d) {
  const auto &out = p.outputTransform;
  const auto &in = p.inputTransform, &kernel = p.kernelTransform;
  FieldDim dim;
  dim.out = unsigned(p.getOutputSize(d)) - out.paddingLower[d] - out.paddingUpper[d];
  dim.kernel = unsigned(p.getTruncatedKernelSize(d));
  dim.in = unsigned(p.getTruncatedInputSize(d));
  dim.stride = out.stride[d];
  dim.kernelDilation = kernel.dilation[d];
  dim.inputDilation = in.dilation[d];
  dim.kernelFlip = kernel.flip[d] != in.flip[d];
  if (dim.out == 0 || dim.in == 0 || dim.kernel == 0)
    return dim;
  const std::int64_t low = (in.flip[d] ? in.paddingUpper : in.paddingLower)[d];
  const std::int64_t first = (kernel.flip[d] ? kernel.paddingUpper : kernel.paddingLower)[d];
  dim.meetings = 0;
  for (unsigned k = 0; k < dim.kernel; ++k)
    dim.meetings +=
        meetingsAt(out.truncationLower[d] + first + std::int64_t(k) * dim.kernelDilation, low, dim);
  return dim;
}

std::uint64_t inputElements(const Problem &p) {
  auto count = p.groups * p.batch * p.inChans;
  for (const auto &dim : p.dims)
    count *= dim.in;
  return count;
}

void swapOperands(Problem &p) {
  std::swap(p.batch, p.outChans);
  for (auto &dim : p.dims) {
    std::swap(dim.kernel, dim.in);
    std::swap(dim.kernelDilation, dim.inputDilation);
    dim.kernelFlip = false;
  }
}

// The kernel's elements become input channels; every output has its own copy of its inputs.
void expand(Problem &p, unsigned d) {
  auto &dim = p.dims[d];
  p.inChans *= dim.kernel;
  dim = {dim.out, 1, dim.out, 1, 1, 1, dim.out, false};
  p.rearrangeInput = true;
}

// Outputs become output channels and inputs input channels, joined by a band of weights.
void flatten(Problem &p, unsigned d) {
  auto &dim = p.dims[d];
  p.outChans *= dim.out;
  p.inChans *= dim.in;
  dim = {};
  p.rearrangeInput = true;
}

// Several groups as one dense one: most weights are zeros.
void combine(Problem &p, unsigned factor) {
  p.groups = base::ceilDiv(p.groups, factor);
  p.inChans *= factor;
  p.outChans *= factor;
}

} // namespace

Problem problemOf(const ConvParams &params, const ConvOptions &options) {
  const auto p = params.canonicalize();
  Problem problem;
  problem.input = p.inputType;
  problem.output = p.outputType;
  problem.partials = options.partialsType;
  problem.interTile = options.interTilePartialsType;
  problem.groups = p.numConvGroups;
  problem.batch = p.batchSize;
  problem.inChans = p.inputChannelsPerConvGroup;
  problem.outChans = p.outputChannelsPerConvGroup;
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d) {
    problem.dims.push_back(dimOf(p, d));
    problem.outputPadded |= p.outputTransform.paddingLower[d] || p.outputTransform.paddingUpper[d];
  }
  if (problem.dims.empty())
    problem.dims.emplace_back();
  problem.realInputElements = inputElements(problem);
  return problem;
}

Problem transformed(const Problem &problem, const Transform &t) {
  Problem p = problem;
  for (auto d : t.outChanFlattenDims)
    flatten(p, d);
  if (t.swapOperands) {
    swapOperands(p);
    p.realInputElements = inputElements(p);
  }
  for (auto d : t.expandDims)
    expand(p, d);
  if (t.combineConvGroupsFactor > 1)
    combine(p, t.combineConvGroupsFactor);
  return p;
}

Problem withZerosWritten(Problem problem) {
  for (auto &dim : problem.dims) {
    if (dim.inputDilation == 1)
      continue;
    dim.meetings = std::min<std::uint64_t>(dim.meetings * dim.inputDilation,
                                           std::uint64_t(dim.out) * dim.kernel);
    dim.in = (dim.in - 1) * dim.inputDilation + 1;
    dim.inputDilation = 1;
    problem.rearrangeInput = true;
  }
  return problem;
}

Transform transformOf(const ConvPlan &plan) {
  return {plan.swapOperands, plan.expandDims, plan.outChanFlattenDims,
          plan.combineConvGroupsFactor};
}

} // namespace poplin
