// SPDX-License-Identifier: MIT
// Pooling of [batch][channels][field...] activations, forwards and backwards, over any number of
// field dimensions.
//
// Options: poolUseIntrospectiveMapping [true]: the output lies near the input it comes from;
// optimizeForSpeed [false]: sums and averages may be planned as a convolution;
// useFloatPartialsWhereBeneficial [false]: half sums that are split between tiles are exchanged as
// float; gradientToFirstMaximum [false], of OpenIPU: of equal maxima of a window the first has the
// gradient.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popnn/PoolingDef.hpp>
#include <poputil/DebugInfo.hpp>
#include <vector>

namespace popnn {
namespace pooling {

using popnn::PoolingType; // programs write it either way

// The shape of a pooling.
struct PoolParams {
  PoolingType poolingType;                  // largest element, mean or sum of the window
  std::vector<std::size_t> inputFieldShape; // one size for each dimension of the field
  std::vector<std::size_t> kernelShape;     // the window
  std::vector<unsigned> stride;             // from one window to the next
  // Positive: padding that no result depends on. Negative: so many input elements are left out.
  std::vector<int> inputTruncationOrPaddingLower;
  std::vector<int> inputTruncationOrPaddingUpper; // the same at the end of each dimension
  std::size_t numChannels;                        // of the input and the result
  std::size_t batchSize;                          // examples of one batch
  poplar::Type dType;                             // of the input and the result

  PoolParams(PoolingType poolingType, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::vector<unsigned> stride,
             std::vector<int> inputTruncationOrPaddingLower,
             std::vector<int> inputTruncationOrPaddingUpper, std::size_t numChannels,
             std::size_t batchSize, poplar::Type dType);

  std::size_t getNumFieldDims() const { return inputFieldShape.size(); } // 2 for images
  std::vector<std::size_t> getOutputFieldShape() const; // one size for each dimension
};

std::ostream &operator<<(std::ostream &o, const PoolParams &params);
const char *asString(const PoolingType &method); // "max", "avg" or "sum"

// Floating point operations of the forward pass.
std::uint64_t getFwdFlops(const PoolParams &params);
std::uint64_t getBwdFlops(const PoolParams &params); // Floating point operations of the gradient.
// Cycles if every tile were busy all the time.
double getFwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params);
double getBwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params);

// In [batch][channels][field...]; returns the same with the smaller field. Throws
// poputil::poplibs_error if in and params do not fit.
poplar::Tensor pool(poplar::Graph &graph, const PoolParams &params, const poplar::Tensor &in,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});

// MAX: the gradient goes to every position that equals the pooled value; if scaled, they share it.
// SUM and AVG: `in` and `pooled` are not looked at.
poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params,
                                 const poplar::Tensor &in, const poplar::Tensor &pooled,
                                 const poplar::Tensor &pooledGradient, bool useScaledGradient,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

// SUM and AVG only. The channel grouping of the forward pass decides how the result is laid out.
poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params,
                                 const unsigned fwdChansPerGroup,
                                 const poplar::Tensor &pooledGradient,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

} // namespace pooling
} // namespace popnn
