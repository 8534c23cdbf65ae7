// SPDX-License-Identifier: MIT
// Sizes of a convolution, its validity, comparison and hash.
#include "poplin/ConvParams.hpp"
#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include "poplin/ConvUtil.hpp"
#include "poputil/exceptions.hpp"
#include <limits>
#include <tuple>

namespace poplin {

using base::list;
using base::str;
using Unsigneds = std::vector<unsigned>;

ConvParams::InputTransform::InputTransform(std::size_t dims)
    : truncationLower(dims), truncationUpper(dims), dilation(dims, 1), paddingLower(dims),
      paddingUpper(dims), flip(dims) {}

ConvParams::InputTransform::InputTransform(Unsigneds truncationLower, Unsigneds truncationUpper,
                                           Unsigneds dilation, Unsigneds paddingLower,
                                           Unsigneds paddingUpper, std::vector<bool> flip)
    : truncationLower(std::move(truncationLower)), truncationUpper(std::move(truncationUpper)),
      dilation(std::move(dilation)), paddingLower(std::move(paddingLower)),
      paddingUpper(std::move(paddingUpper)), flip(std::move(flip)) {}

ConvParams::OutputTransform::OutputTransform(std::size_t dims)
    : truncationLower(dims), truncationUpper(dims), stride(dims, 1), paddingLower(dims),
      paddingUpper(dims) {}

ConvParams::OutputTransform::OutputTransform(Unsigneds truncationLower, Unsigneds truncationUpper,
                                             Unsigneds stride, Unsigneds paddingLower,
                                             Unsigneds paddingUpper)
    : truncationLower(std::move(truncationLower)), truncationUpper(std::move(truncationUpper)),
      stride(std::move(stride)), paddingLower(std::move(paddingLower)),
      paddingUpper(std::move(paddingUpper)) {}

ConvParams::ConvParams(poplar::Type dataType, std::size_t batch, std::vector<std::size_t> field,
                       std::vector<std::size_t> kernel, std::size_t inChans, std::size_t outChans,
                       std::size_t groups)
    : ConvParams(dataType, dataType, batch, std::move(field), std::move(kernel), inChans, outChans,
                 groups) {}

ConvParams::ConvParams(poplar::Type inType, poplar::Type outType, std::size_t batch,
                       std::vector<std::size_t> field, std::vector<std::size_t> kernel,
                       std::size_t inChans, std::size_t outChans, std::size_t groups)
    : inputType(inType), outputType(outType), batchSize(batch), inputFieldShape(std::move(field)),
      kernelShape(std::move(kernel)), inputChannelsPerConvGroup(inChans),
      outputChannelsPerConvGroup(outChans), numConvGroups(groups),
      inputTransform(inputFieldShape.size()), kernelTransform(inputFieldShape.size()),
      outputTransform(inputFieldShape.size()) {}

ConvParams::ConvParams(poplar::Type inType, poplar::Type outType, std::size_t batch,
                       std::vector<std::size_t> field, std::vector<std::size_t> kernel,
                       std::size_t inChans, std::size_t outChans, std::size_t groups,
                       InputTransform input, InputTransform kernelT, OutputTransform output)
    : inputType(inType), outputType(outType), batchSize(batch), inputFieldShape(std::move(field)),
      kernelShape(std::move(kernel)), inputChannelsPerConvGroup(inChans),
      outputChannelsPerConvGroup(outChans), numConvGroups(groups), inputTransform(std::move(input)),
      kernelTransform(std::move(kernelT)), outputTransform(std::move(output)) {}

std::size_t ConvParams::getTruncatedInputSize(unsigned dim) const {
  return inputFieldShape[dim] - inputTransform.truncationLower[dim] -
         inputTransform.truncationUpper[dim];
}

std::size_t ConvParams::getTruncatedKernelSize(unsigned dim) const {
  return kernelShape[dim] - kernelTransform.truncationLower[dim] -
         kernelTransform.truncationUpper[dim];
}

static std::size_t transformedSize(std::size_t truncated, const ConvParams::InputTransform &t,
                                   unsigned dim) {
  return t.paddingLower[dim] + getDilatedSize(unsigned(truncated), t.dilation[dim]) +
         t.paddingUpper[dim];
}

std::size_t ConvParams::getTransformedInputSize(unsigned dim) const {
  return transformedSize(getTruncatedInputSize(dim), inputTransform, dim);
}

std::size_t ConvParams::getTransformedKernelSize(unsigned dim) const {
  return transformedSize(getTruncatedKernelSize(dim), kernelTransform, dim);
}

std::size_t ConvParams::getUntransformedOutputSize(unsigned dim) const {
  return getTransformedInputSize(dim) - getTransformedKernelSize(dim) + 1;
}

std::size_t ConvParams::getOutputSize(unsigned dim) const {
  const auto &t = outputTransform;
  const auto truncated =
      getUntransformedOutputSize(dim) - t.truncationLower[dim] - t.truncationUpper[dim];
  return t.paddingLower[dim] + (truncated + t.stride[dim] - 1) / t.stride[dim] +
         t.paddingUpper[dim];
}

std::vector<std::size_t> ConvParams::getOutputFieldShape() const {
  std::vector<std::size_t> shape;
  for (unsigned dim = 0; dim < getNumFieldDims(); ++dim)
    shape.push_back(getOutputSize(dim));
  return shape;
}

namespace {

[[noreturn]] void fail(const std::string &text) {
  throw poputil::poplibs_error("Bad parameters of a convolution: " + text);
}

template <class Vector>
void checkRank(const char *name, const Vector &values, const ConvParams &params) {
  if (values.size() != params.getNumFieldDims())
    fail(str(name, " has ", values.size(), " dimensions, but the input field ",
             list(params.inputFieldShape), " has ", params.getNumFieldDims()));
}

void checkRanks(const ConvParams &p) {
  checkRank("the kernel shape", p.kernelShape, p);
  for (bool kernel : {false, true}) {
    const auto &t = kernel ? p.kernelTransform : p.inputTransform;
    const std::string of = kernel ? "of the kernel" : "of the input";
    checkRank(("the lower truncation " + of).c_str(), t.truncationLower, p);
    checkRank(("the upper truncation " + of).c_str(), t.truncationUpper, p);
    checkRank(("the dilation " + of).c_str(), t.dilation, p);
    checkRank(("the lower padding " + of).c_str(), t.paddingLower, p);
    checkRank(("the upper padding " + of).c_str(), t.paddingUpper, p);
    checkRank(("the flip " + of).c_str(), t.flip, p);
  }
  const auto &t = p.outputTransform;
  checkRank("the lower truncation of the output", t.truncationLower, p);
  checkRank("the upper truncation of the output", t.truncationUpper, p);
  checkRank("the stride", t.stride, p);
  checkRank("the lower padding of the output", t.paddingLower, p);
  checkRank("the upper padding of the output", t.paddingUpper, p);
}

void checkTruncation(const char *what, unsigned dim, std::size_t size, std::size_t lower,
                     std::size_t upper) {
  if (lower + upper > size)
    fail(str("in field dimension ", dim, " the ", what, " has ", size,
             " elements, but truncation takes ", lower, " below and ", upper, " above"));
}

// Sizes after dilation and padding are computed in 32 bits.
void checkSize(const char *what, unsigned dim, std::size_t size,
               const ConvParams::InputTransform &t) {
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  const auto dilated = base::checkedProduct(size, t.dilation[dim], most);
  const auto padding = std::uint64_t(t.paddingLower[dim]) + t.paddingUpper[dim];
  if (!dilated || *dilated + padding > most)
    fail(str("in field dimension ", dim, " the ", what, " has ", size, " elements, a dilation of ",
             t.dilation[dim], " and a padding of ", padding, ", more than ", most, " in all"));
}

void checkDim(const ConvParams &p, unsigned dim) {
  const auto &in = p.inputTransform, &kernel = p.kernelTransform;
  const auto &out = p.outputTransform;
  checkSize("input", dim, p.inputFieldShape[dim], in);
  checkSize("kernel", dim, p.kernelShape[dim], kernel);
  if (in.dilation[dim] == 0 || kernel.dilation[dim] == 0 || out.stride[dim] == 0)
    fail(str("in field dimension ", dim, " the dilation of the input is ", in.dilation[dim],
             ", of the kernel ", kernel.dilation[dim], ", the stride ", out.stride[dim],
             "; all must be at least 1"));
  checkTruncation("input", dim, p.inputFieldShape[dim], in.truncationLower[dim],
                  in.truncationUpper[dim]);
  checkTruncation("kernel", dim, p.kernelShape[dim], kernel.truncationLower[dim],
                  kernel.truncationUpper[dim]);
  const auto kernelSize = p.getTransformedKernelSize(dim), size = p.getTransformedInputSize(dim);
  if (kernelSize == 0)
    fail(str("in field dimension ", dim, " nothing is left of the kernel ", list(p.kernelShape)));
  if (size < kernelSize)
    fail(str("in field dimension ", dim, " the padded input has ", size,
             " elements, fewer than the padded kernel's ", kernelSize));
  checkTruncation("output", dim, p.getUntransformedOutputSize(dim), out.truncationLower[dim],
                  out.truncationUpper[dim]);
}

// No product of sizes wraps: neither the elements of the operands nor the multiplications do.
void checkElements(const ConvParams &p) {
  std::vector<std::size_t> input{p.batchSize, p.numConvGroups, p.inputChannelsPerConvGroup};
  auto work = input;
  work.push_back(p.outputChannelsPerConvGroup);
  for (unsigned dim = 0; dim < p.getNumFieldDims(); ++dim) {
    input.push_back(p.getTransformedInputSize(dim));
    work.insert(work.end(), {p.getOutputSize(dim), p.getTransformedKernelSize(dim)});
  }
  for (const auto &sizes : {input, work})
    if (!base::checkedElements(sizes))
      fail(str("batch, groups, channels and fields ", list(sizes), " multiply to more than ",
               base::thousands(base::maxElements)));
}

} // namespace

void ConvParams::validate() const {
  checkRanks(*this);
  for (unsigned dim = 0; dim < getNumFieldDims(); ++dim)
    checkDim(*this, dim);
  checkElements(*this);
}

static auto tied(const ConvParams::InputTransform &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.dilation, t.paddingLower, t.paddingUpper,
                  t.flip);
}
static auto tied(const ConvParams::OutputTransform &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.stride, t.paddingLower, t.paddingUpper);
}
static auto tied(const ConvParams &p) {
  return std::tie(p.inputType, p.outputType, p.batchSize, p.inputFieldShape, p.kernelShape,
                  p.inputChannelsPerConvGroup, p.outputChannelsPerConvGroup, p.numConvGroups,
                  p.inputTransform, p.kernelTransform, p.outputTransform);
}

bool operator==(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b) {
  return tied(a) == tied(b);
}
bool operator!=(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b) {
  return !(a == b);
}
bool operator<(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b) {
  return tied(a) < tied(b);
}
bool operator==(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b) {
  return tied(a) == tied(b);
}
bool operator!=(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b) {
  return !(a == b);
}
bool operator<(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b) {
  return tied(a) < tied(b);
}
bool operator==(const ConvParams &a, const ConvParams &b) { return tied(a) == tied(b); }
bool operator!=(const ConvParams &a, const ConvParams &b) { return !(a == b); }
bool operator<(const ConvParams &a, const ConvParams &b) { return tied(a) < tied(b); }

namespace {

// The same on every run and machine: dithering depends on it.
struct Hasher {
  std::size_t value = 0x9e3779b9;
  void add(std::uint64_t x) { value = base::hashBytes(&x, sizeof x, value); }
  template <class T> void add(const std::vector<T> &values) {
    add(values.size());
    for (auto x : values)
      add(std::uint64_t(x));
  }
};

} // namespace

std::size_t hash_value(const ConvParams::InputTransform &t) {
  Hasher hash;
  std::apply([&](const auto &...field) { (hash.add(field), ...); }, tied(t));
  return hash.value;
}

std::size_t hash_value(const ConvParams::OutputTransform &t) {
  Hasher hash;
  std::apply([&](const auto &...field) { (hash.add(field), ...); }, tied(t));
  return hash.value;
}

std::size_t hash_value(const ConvParams &p) {
  Hasher hash;
  for (std::uint64_t x :
       {p.inputType.hash(), p.outputType.hash(), p.batchSize, p.inputChannelsPerConvGroup,
        p.outputChannelsPerConvGroup, p.numConvGroups, hash_value(p.inputTransform),
        hash_value(p.kernelTransform), hash_value(p.outputTransform)})
    hash.add(x);
  hash.add(p.inputFieldShape);
  hash.add(p.kernelShape);
  return hash.value;
}

} // namespace poplin
