// SPDX-License-Identifier: MIT
// Which elements of input, kernel and output of a convolution meet, and the convolutions that give
// its gradients. Ranges are half open; an empty one is {0, 0}.
#pragma once
#include <poplin/ConvParams.hpp>
#include <utility>

namespace poplin {

// 1 + (size - 1) * dilation; 0 stays 0.
unsigned getDilatedSize(unsigned size, unsigned dilation);

// The element of the input that this element of the kernel is multiplied with for this element of
// the output; ~0U when that is padding or lies between dilated elements.
unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams &params);
unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams &params);

// The smallest range that holds all outputs of `outputRange` that the kernel or input elements
// take part in.
std::pair<unsigned, unsigned>
getOutputRangeForKernelIndex(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                             unsigned kernelIndex, const ConvParams &params);
std::pair<unsigned, unsigned> getOutputRangeForInputIndex(unsigned dim,
                                                          std::pair<unsigned, unsigned> outputRange,
                                                          unsigned inputIndex,
                                                          const ConvParams &params);
std::pair<unsigned, unsigned>
getOutputRangeForKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                             std::pair<unsigned, unsigned> kernelIndexRange,
                             const ConvParams &params);
std::pair<unsigned, unsigned> getOutputRangeForInputRange(unsigned dim,
                                                          std::pair<unsigned, unsigned> outputRange,
                                                          std::pair<unsigned, unsigned> inputRange,
                                                          const ConvParams &params);

// The smallest range that holds all inputs (kernel elements) which the outputs need.
std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                            std::pair<unsigned, unsigned> kernelIndexRange,
                                            const ConvParams &params);
std::pair<unsigned, unsigned> getKernelRange(unsigned dim,
                                             std::pair<unsigned, unsigned> outputRange,
                                             std::pair<unsigned, unsigned> inputRange,
                                             const ConvParams &params);

inline std::pair<unsigned, unsigned> getInputRange(unsigned dim,
                                                   std::pair<unsigned, unsigned> outputRange,
                                                   unsigned kernelIndex, const ConvParams &params) {
  return getInputRange(dim, outputRange, {kernelIndex, kernelIndex + 1}, params);
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                                   std::pair<unsigned, unsigned> kernelIndexRange,
                                                   const ConvParams &params) {
  return getInputRange(dim, {outputIndex, outputIndex + 1}, kernelIndexRange, params);
}
inline std::pair<unsigned, unsigned>
getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange, const ConvParams &params) {
  return getInputRange(dim, outputRange, {0U, unsigned(params.kernelShape[dim])}, params);
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                                   const ConvParams &params) {
  return getInputRange(dim, {outputIndex, outputIndex + 1}, params);
}

// The convolution of the output's gradient with the kernel (channels swapped, kernel flipped) that
// gives the gradient of the input.
ConvParams getGradientParams(const ConvParams &params);
// The convolution of input and output's gradient that gives the gradient of the kernel: input
// channels become the batch, the batch becomes the input channels, the kernel the output field.
ConvParams getWeightUpdateParams(const ConvParams &fwdParams);

} // namespace poplin

// Last: it includes this header itself.
#include <poplin/Convolution.hpp>
