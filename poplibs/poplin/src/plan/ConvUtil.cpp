// SPDX-License-Identifier: MIT
// One dimension of a convolution seen as coordinates: from an element of the output or the kernel
// to its place after all transforms, and back.
#include "poplin/ConvUtil.hpp"
#include <algorithm>
#include <cstdint>

namespace poplin {

using Range = std::pair<unsigned, unsigned>;
using InputTransform = ConvParams::InputTransform;

unsigned getDilatedSize(unsigned size, unsigned dilation) {
  return size == 0 ? 0 : 1 + (size - 1) * dilation;
}

namespace {

constexpr std::int64_t nowhere = -1;

// Place of an element after truncation, dilation, padding and flip.
std::int64_t place(const InputTransform &t, unsigned dim, std::int64_t size,
                   std::int64_t transformed, std::int64_t index) {
  if (index < t.truncationLower[dim] || index >= size - std::int64_t(t.truncationUpper[dim]))
    return nowhere;
  const auto at = (index - t.truncationLower[dim]) * t.dilation[dim] + t.paddingLower[dim];
  return t.flip[dim] ? transformed - 1 - at : at;
}

// The element at a place, or nowhere: padding, or between dilated elements.
std::int64_t element(const InputTransform &t, unsigned dim, std::int64_t size,
                     std::int64_t transformed, std::int64_t at) {
  if (at < 0 || at >= transformed)
    return nowhere;
  const auto dilated = (t.flip[dim] ? transformed - 1 - at : at) - t.paddingLower[dim];
  if (dilated < 0 || dilated % t.dilation[dim])
    return nowhere;
  const auto index = dilated / t.dilation[dim] + t.truncationLower[dim];
  return index < size - std::int64_t(t.truncationUpper[dim]) ? index : nowhere;
}

// Place of an element of the output before the output transform.
std::int64_t outputPlace(unsigned dim, std::int64_t index, const ConvParams &params) {
  const auto &t = params.outputTransform;
  if (index < t.paddingLower[dim] ||
      index >= std::int64_t(params.getOutputSize(dim)) - t.paddingUpper[dim])
    return nowhere;
  return (index - t.paddingLower[dim]) * t.stride[dim] + t.truncationLower[dim];
}

// Grows a range by one index.
void include(Range &range, unsigned index) {
  if (range.first == range.second)
    range = {index, index + 1};
  else
    range = {std::min(range.first, index), std::max(range.second, index + 1)};
}

} // namespace

unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams &p) {
  const auto out = outputPlace(dim, outputIndex, p);
  const auto kernel = place(p.kernelTransform, dim, std::int64_t(p.kernelShape[dim]),
                            std::int64_t(p.getTransformedKernelSize(dim)), kernelIndex);
  if (out == nowhere || kernel == nowhere)
    return ~0U;
  const auto in = element(p.inputTransform, dim, std::int64_t(p.inputFieldShape[dim]),
                          std::int64_t(p.getTransformedInputSize(dim)), out + kernel);
  return in == nowhere ? ~0U : unsigned(in);
}

unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams &p) {
  const auto out = outputPlace(dim, outputIndex, p);
  const auto in = place(p.inputTransform, dim, std::int64_t(p.inputFieldShape[dim]),
                        std::int64_t(p.getTransformedInputSize(dim)), inputIndex);
  if (out == nowhere || in == nowhere)
    return ~0U;
  const auto kernel = element(p.kernelTransform, dim, std::int64_t(p.kernelShape[dim]),
                              std::int64_t(p.getTransformedKernelSize(dim)), in - out);
  return kernel == nowhere ? ~0U : unsigned(kernel);
}

Range getOutputRangeForKernelIndex(unsigned dim, Range outputs, unsigned kernelIndex,
                                   const ConvParams &p) {
  Range found{0, 0};
  for (unsigned o = outputs.first; o < outputs.second; ++o)
    if (getInputIndex(dim, o, kernelIndex, p) != ~0U)
      include(found, o);
  return found;
}

Range getOutputRangeForInputIndex(unsigned dim, Range outputs, unsigned inputIndex,
                                  const ConvParams &p) {
  Range found{0, 0};
  for (unsigned o = outputs.first; o < outputs.second; ++o)
    if (getKernelIndex(dim, o, inputIndex, p) != ~0U)
      include(found, o);
  return found;
}

static Range join(Range a, Range b) {
  if (a.first == a.second)
    return b;
  if (b.first == b.second)
    return a;
  return {std::min(a.first, b.first), std::max(a.second, b.second)};
}

Range getOutputRangeForKernelRange(unsigned dim, Range outputs, Range kernels,
                                   const ConvParams &p) {
  Range found{0, 0};
  for (unsigned k = kernels.first; k < kernels.second; ++k)
    found = join(found, getOutputRangeForKernelIndex(dim, outputs, k, p));
  return found;
}

Range getOutputRangeForInputRange(unsigned dim, Range outputs, Range inputs, const ConvParams &p) {
  Range found{0, 0};
  for (unsigned i = inputs.first; i < inputs.second; ++i)
    found = join(found, getOutputRangeForInputIndex(dim, outputs, i, p));
  return found;
}

Range getInputRange(unsigned dim, Range outputs, Range kernels, const ConvParams &p) {
  Range found{0, 0};
  for (unsigned k = kernels.first; k < kernels.second; ++k) {
    // Places move with the output in one direction, so the first and last hit are the extremes.
    const auto used = getOutputRangeForKernelIndex(dim, outputs, k, p);
    if (used.first == used.second)
      continue;
    include(found, getInputIndex(dim, used.first, k, p));
    include(found, getInputIndex(dim, used.second - 1, k, p));
  }
  return found;
}

Range getKernelRange(unsigned dim, Range outputs, Range inputs, const ConvParams &p) {
  Range found{0, 0};
  for (unsigned o = outputs.first; o < outputs.second; ++o)
    for (unsigned k = 0; k < p.kernelShape[dim]; ++k) {
      const auto in = getInputIndex(dim, o, k, p);
      if (in != ~0U && in >= inputs.first && in < inputs.second)
        include(found, k);
    }
  return found;
}

namespace {

// The transform that takes an output's gradient back to the places before the output transform:
// what was padded is cut off, what was strided away becomes zeros.
InputTransform undo(const ConvParams &p) {
  const auto &t = p.outputTransform;
  InputTransform back(p.getNumFieldDims());
  back.truncationLower = t.paddingLower;
  back.truncationUpper = t.paddingUpper;
  back.dilation = t.stride;
  back.paddingLower = t.truncationLower;
  for (unsigned dim = 0; dim < p.getNumFieldDims(); ++dim) {
    const auto kept = p.getOutputSize(dim) - t.paddingLower[dim] - t.paddingUpper[dim];
    const auto used = t.truncationLower[dim] + getDilatedSize(unsigned(kept), t.stride[dim]);
    back.paddingUpper[dim] = unsigned(p.getUntransformedOutputSize(dim)) - used;
  }
  return back;
}

// The output transform that takes a gradient back to the elements before an input transform (whose
// flip is dealt with elsewhere).
ConvParams::OutputTransform undo(const InputTransform &t) {
  return {t.paddingLower, t.paddingUpper, t.dilation, t.truncationLower, t.truncationUpper};
}

} // namespace

// With all transforms applied, y[o] = sum x[o+k] w[k], so dx[i] = sum dy[i-k] w[k]: a convolution
// of dy, padded by the kernel's size less one, with the flipped kernel. The caller flips the
// elements of the kernel, so its truncation and padding change sides. An output cannot be flipped:
// where the input was, both operands are flipped instead.
ConvParams getGradientParams(const ConvParams &p) {
  auto input = undo(p);
  auto kernel = p.kernelTransform;
  std::swap(kernel.truncationLower, kernel.truncationUpper);
  std::swap(kernel.paddingLower, kernel.paddingUpper);
  for (unsigned dim = 0; dim < p.getNumFieldDims(); ++dim) {
    const auto overlap = unsigned(p.getTransformedKernelSize(dim)) - 1;
    input.paddingLower[dim] += overlap;
    input.paddingUpper[dim] += overlap;
    if (p.inputTransform.flip[dim]) {
      input.flip[dim] = true;
      kernel.flip[dim] = !kernel.flip[dim];
    }
  }
  return {p.inputType,
          p.outputType,
          p.batchSize,
          p.getOutputFieldShape(),
          p.kernelShape,
          p.outputChannelsPerConvGroup,
          p.inputChannelsPerConvGroup,
          p.numConvGroups,
          input,
          kernel,
          undo(p.inputTransform)};
}

// dw[k] = sum x[o+k] dy[o]: the output's gradient is the kernel.
ConvParams getWeightUpdateParams(const ConvParams &p) {
  auto input = p.inputTransform;
  auto kernel = undo(p);
  for (unsigned dim = 0; dim < p.getNumFieldDims(); ++dim)
    if (p.kernelTransform.flip[dim]) {
      input.flip[dim] = !input.flip[dim];
      kernel.flip[dim] = true;
    }
  return {p.inputType,
          p.outputType,
          p.inputChannelsPerConvGroup,
          p.inputFieldShape,
          p.getOutputFieldShape(),
          p.batchSize,
          p.outputChannelsPerConvGroup,
          p.numConvGroups,
          input,
          kernel,
          undo(p.kernelTransform)};
}

} // namespace poplin
