// SPDX-License-Identifier: MIT
// A fully connected layer with sparse weights [outputChannels][inputChannels].
#pragma once
#include <cstddef>
#include <ostream>
#include <popsparse/SparsityParams.hpp>

namespace popsparse {
namespace dynamic {

class FullyConnectedParams {
public:
  // nzRatio: the largest share of weights that are not zero, in (0, 1]. Throws poplibs_error for
  // values that cannot be.
  static FullyConnectedParams createWithNzRatio(const SparsityParams &sparsityParams,
                                                double nzRatio, std::size_t batchSize,
                                                std::size_t numGroups, std::size_t inputChannels,
                                                std::size_t outputChannels);
  static FullyConnectedParams
  createWithNumNonZeroValues(const SparsityParams &sparsityParams, std::size_t numNonZeroElems,
                             std::size_t batchSize, std::size_t numGroups,
                             std::size_t inputChannels, std::size_t outputChannels);

  std::size_t getBatchSize() const { return batchSize_; } // rows of the input
  // Groups of channels that do not see each other.
  std::size_t getNumGroups() const { return numGroups_; }
  // Columns of the input, for a group.
  std::size_t getInputChannelsPerGroup() const { return inputChannels_; }
  // Columns of the result, for a group.
  std::size_t getOutputChannelsPerGroup() const { return outputChannels_; }
  // Single elements, or blocks.
  const SparsityParams &getSparsityParams() const { return sparsityParams_; }
  double getNzRatio() const; // the largest share of weights that are not zero
  // The most weights that are not zero.
  std::size_t getNumNonZeroValues() const { return numNonZeroValues_; }

  friend bool operator==(const FullyConnectedParams &a, const FullyConnectedParams &b) {
    return !(a < b) && !(b < a);
  }
  friend bool operator!=(const FullyConnectedParams &a, const FullyConnectedParams &b) {
    return !(a == b);
  }
  friend bool operator<(const FullyConnectedParams &a, const FullyConnectedParams &b);

private:
  SparsityParams sparsityParams_;
  std::size_t numNonZeroValues_ = 0, batchSize_ = 0, numGroups_ = 0, inputChannels_ = 0,
              outputChannels_ = 0;
};

std::ostream &operator<<(std::ostream &out, const FullyConnectedParams &params);

} // namespace dynamic
} // namespace popsparse
