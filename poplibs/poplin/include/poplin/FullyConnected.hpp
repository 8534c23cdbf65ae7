// SPDX-License-Identifier: MIT
// The products of a fully connected layer, for planning them ahead (poplin::preplanMatMuls).
#pragma once
#include <poplin/MatMul.hpp>
#include <utility>
#include <vector>

namespace poplin {
namespace fc {

// Sizes of a fully connected layer.
struct FullyConnectedParams {
  std::size_t numGroups, batchSize, inputSize, outputSize; // of the layer; one group unless said
};

// Forward; unless `inferenceOnly`, backward and weight update too, each with its own
// fullyConnectedPass.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(FullyConnectedParams parameters, poplar::OptionFlags matmulOptions,
                           poplar::Type type, bool inferenceOnly);

} // namespace fc
} // namespace poplin
