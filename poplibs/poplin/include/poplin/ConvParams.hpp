// SPDX-License-Identifier: MIT
// Shape of a convolution. Channels are per group. For every dimension of the field, input and
// kernel are first truncated, then dilated (zeros between elements), padded with zeros and flipped;
// after the convolution the output is truncated, strided (every n-th kept) and padded.
#pragma once
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <poplar/Type.hpp>
#include <vector>

namespace poplin {

struct ConvParams {
  // What is done to the input or the kernel before the convolution; one number for each dimension.
  struct InputTransform {
    // Elements dropped at the begin and the end of each dimension.
    std::vector<unsigned> truncationLower, truncationUpper;
    std::vector<unsigned> dilation; // 1: none; n: n - 1 zeros between elements
    // Zeros added at the begin and the end of each dimension.
    std::vector<unsigned> paddingLower, paddingUpper;
    std::vector<bool> flip; // whether the order of a dimension is reversed

    InputTransform() {}
    explicit InputTransform(std::size_t numFieldDims); // changes nothing
    InputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                   std::vector<unsigned> dilation, std::vector<unsigned> paddingLower,
                   std::vector<unsigned> paddingUpper, std::vector<bool> flip);
  };

  // What is done to the output after the convolution; one number for each dimension.
  struct OutputTransform {
    // Elements dropped at the begin and the end of each dimension.
    std::vector<unsigned> truncationLower, truncationUpper;
    std::vector<unsigned> stride; // every n-th element is kept
    // Zeros added at the begin and the end of each dimension.
    std::vector<unsigned> paddingLower, paddingUpper;

    OutputTransform() {}
    explicit OutputTransform(std::size_t numFieldDims); // changes nothing
    OutputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                    std::vector<unsigned> stride, std::vector<unsigned> paddingLower,
                    std::vector<unsigned> paddingUpper);
  };

  poplar::Type inputType, outputType;                    // of the operands; of the result
  std::size_t batchSize = 0;                             // examples of one batch
  std::vector<std::size_t> inputFieldShape, kernelShape; // one size for each dimension of the field
  // Channels of a group; groups of channels that do not see each other.
  std::size_t inputChannelsPerConvGroup = 0, outputChannelsPerConvGroup = 0, numConvGroups = 0;
  InputTransform inputTransform, kernelTransform; // before the convolution
  OutputTransform outputTransform;                // after the convolution

  ConvParams() {}
  ConvParams(poplar::Type dataType, std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannelsPerConvGroup,
             std::size_t outputChannelsPerConvGroup, std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
             std::size_t inputChannelsPerConvGroup, std::size_t outputChannelsPerConvGroup,
             std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
             std::size_t inputChannelsPerConvGroup, std::size_t outputChannelsPerConvGroup,
             std::size_t numConvGroups, InputTransform inputTransform,
             InputTransform kernelTransform, OutputTransform outputTransform);

  std::size_t getUntransformedOutputSize(unsigned dim) const; // before the output transform
  std::size_t getOutputSize(unsigned dim) const;        // with all transforms, of one dimension
  std::vector<std::size_t> getOutputFieldShape() const; // getOutputSize of all dimensions
  // Before transforms, of one dimension.
  std::size_t getInputSize(unsigned dim) const { return inputFieldShape[dim]; }
  std::size_t getTruncatedInputSize(unsigned dim) const;   // after truncation, of one dimension
  std::size_t getTruncatedKernelSize(unsigned dim) const;  // after truncation, of one dimension
  std::size_t getTransformedInputSize(unsigned dim) const; // after all transforms, of one dimension
  // After all transforms, of one dimension.
  std::size_t getTransformedKernelSize(unsigned dim) const;

  // Output channels of one group.
  std::size_t getNumOutputChansPerConvGroup() const { return outputChannelsPerConvGroup; }
  // Output channels of all groups.
  std::size_t getNumOutputChans() const { return outputChannelsPerConvGroup * numConvGroups; }
  // Input channels of one group.
  std::size_t getNumInputChansPerConvGroup() const { return inputChannelsPerConvGroup; }
  // Input channels of all groups.
  std::size_t getNumInputChans() const { return inputChannelsPerConvGroup * numConvGroups; }
  // Groups of channels that do not see each other.
  std::size_t getNumConvGroups() const { return numConvGroups; }
  std::size_t getNumFieldDims() const { return inputFieldShape.size(); } // 2 for images
  std::size_t getBatchSize() const { return batchSize; }                 // examples of one batch
  // One size for each dimension.
  const std::vector<std::size_t> &getInputFieldShape() const { return inputFieldShape; }
  // One size for each dimension.
  const std::vector<std::size_t> &getKernelShape() const { return kernelShape; }

  // Throws poputil::poplibs_error when ranks differ, a dilation or stride is 0, a truncation takes
  // more than there is, the kernel is empty or larger than the padded input.
  void validate() const;
  // The same convolution with the simplest transforms: what cannot matter is removed.
  ConvParams canonicalize() const;
};

using InputTransform = ConvParams::InputTransform;   // the older name
using OutputTransform = ConvParams::OutputTransform; // the older name

bool operator==(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b);
bool operator!=(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b);
bool operator<(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b);
bool operator==(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b);
bool operator!=(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b);
bool operator<(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b);
bool operator==(const ConvParams &a, const ConvParams &b);
bool operator!=(const ConvParams &a, const ConvParams &b);
bool operator<(const ConvParams &a, const ConvParams &b);

// JSON, one member per line. Reading sets the fail bit of the stream when the text is not such an
// object; members that are left out keep the values of a convolution without transforms.
std::ostream &operator<<(std::ostream &out, const ConvParams &params);
std::istream &operator>>(std::istream &in, ConvParams &params);

std::size_t hash_value(const ConvParams::InputTransform &transform); // for std::hash
std::size_t hash_value(const ConvParams::OutputTransform &transform);
std::size_t hash_value(const ConvParams &params);

} // namespace poplin

namespace std {
template <> struct hash<poplin::ConvParams::InputTransform> {
  size_t operator()(const poplin::ConvParams::InputTransform &transform) const {
    return poplin::hash_value(transform);
  }
};
template <> struct hash<poplin::ConvParams::OutputTransform> {
  size_t operator()(const poplin::ConvParams::OutputTransform &transform) const {
    return poplin::hash_value(transform);
  }
};
template <> struct hash<poplin::ConvParams> {
  size_t operator()(const poplin::ConvParams &params) const { return poplin::hash_value(params); }
};
} // namespace std
