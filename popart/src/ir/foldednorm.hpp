// SPDX-License-Identifier: MIT
// A batch normalisation that went into variables in front of it: the device has only the weights
// and the bias that are made of them. The host makes both whenever it sends weights, and keeps what
// they are made of (transforms/rewriting/foldbatchnorms.hpp).
#pragma once
#include <cstdint>
#include <popart/names.hpp>

namespace popart::ir {

struct FoldedNorm {
  TensorId weights, bias;                // made
  TensorId ofWeights, ofBias;            // of the convolution or product; none: empty
  TensorId scale, shift, mean, variance; // of the norm
  double epsilon = 0;
  std::int64_t groups = 1; // equal parts of the weights, each with its share of the channels,
  std::int64_t apart = 1;  // which stand so many elements from each other
};

} // namespace popart::ir
