// SPDX-License-Identifier: MIT
// ConvParams::canonicalize: outputs that are cut off, and zeros of the kernel at its ends, mean
// that the ends of the input do not matter; a single element can be neither dilated nor flipped.
#include "poplin/ConvParams.hpp"
#include <algorithm>

namespace poplin {
namespace {

enum End { Lower, Upper };

unsigned &padding(ConvParams::InputTransform &t, unsigned dim, End end) {
  return ((end == Lower) != t.flip[dim] ? t.paddingLower : t.paddingUpper)[dim];
}
unsigned &truncation(ConvParams::InputTransform &t, unsigned dim, End end) {
  return ((end == Lower) != t.flip[dim] ? t.truncationLower : t.truncationUpper)[dim];
}

// Removes up to `amount` places at one end of the transformed input; returns how many it removed.
unsigned cutInput(ConvParams &p, unsigned dim, End end, unsigned amount) {
  auto &t = p.inputTransform;
  auto &pad = padding(t, dim, end);
  const auto zeros = std::min(pad, amount);
  pad -= zeros;
  const auto left = unsigned(p.getTruncatedInputSize(dim));
  if (pad > 0 || left < 2)
    return zeros;
  const auto elements = std::min((amount - zeros) / t.dilation[dim], left - 1);
  truncation(t, dim, end) += elements;
  return zeros + elements * t.dilation[dim];
}

void plain(ConvParams::InputTransform &t, unsigned dim, std::size_t size) {
  if (size > 1)
    return;
  t.dilation[dim] = 1;
  if (t.flip[dim])
    std::swap(t.paddingLower[dim], t.paddingUpper[dim]);
  t.flip[dim] = false;
}

void simplify(ConvParams &p, unsigned dim) {
  auto &out = p.outputTransform;
  const auto size = p.getUntransformedOutputSize(dim);
  const auto kept = size - out.truncationLower[dim] - out.truncationUpper[dim];
  if (kept == 0)
    return;
  out.truncationUpper[dim] += unsigned((kept - 1) % out.stride[dim]);
  if (kept <= out.stride[dim])
    out.stride[dim] = 1;
  plain(p.inputTransform, dim, p.getTruncatedInputSize(dim));
  plain(p.kernelTransform, dim, p.getTruncatedKernelSize(dim));
  for (End end : {Lower, Upper}) {
    auto &cut = (end == Lower ? out.truncationLower : out.truncationUpper)[dim];
    cut -= cutInput(p, dim, end, cut);
    if (p.getTruncatedKernelSize(dim) == 0)
      continue; // zeros are all there is
    auto &zeros = padding(p.kernelTransform, dim, end);
    zeros -= cutInput(p, dim, end, zeros);
  }
  plain(p.inputTransform, dim, p.getTruncatedInputSize(dim));
}

} // namespace

ConvParams ConvParams::canonicalize() const {
  validate();
  ConvParams simple = *this;
  for (unsigned dim = 0; dim < getNumFieldDims(); ++dim)
    simplify(simple, dim);
  return simple;
}

} // namespace poplin
