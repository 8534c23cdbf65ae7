// SPDX-License-Identifier: MIT
// What all norms share: their parameters, one per channel, and their operation counts.
#pragma once
#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <utility>

namespace popnn {

// Of the activations' type, near the tiles that hold their channel. acts is
// [batch][channels][field...].
poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts,
                               const poplar::DebugContext &debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts,
                              const poplar::DebugContext &debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor>
createNormParams(poplar::Graph &graph, const poplar::Tensor &acts,
                 const poplar::DebugContext &debugContext = {});

// Floating point operations of a normalisation: forward, backward, and update of its parameters.
std::uint64_t getNormFwdFlops(std::size_t statisticsSize, std::size_t numActsElements,
                              bool computeStats = true);
std::uint64_t getNormBwdFlops(std::size_t statisticsSize, std::size_t numActsElements);
std::uint64_t getNormWuFlops(std::size_t paramsSize, std::size_t numActsElements);

} // namespace popnn
