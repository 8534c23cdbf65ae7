// SPDX-License-Identifier: MIT
// Shapes that fit each other by NumPy's rules: aligned at the last dimension, and a dimension of
// one repeats as often as the other tensor needs. Views only; nothing is copied.
#pragma once
#include <poplar/Tensor.hpp>
#include <vector>

namespace poputil {

// Puts dimensions of one in front of the tensor of lower rank.
void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b);

// Throws poplibs_error, naming both shapes, when a does not broadcast to the shape.
void broadcastToMatch(poplar::Tensor &a, const std::vector<std::size_t> &shape);
// Each to the shape of all; throws poplibs_error when they do not fit.
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b);
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c);

// Whether the two shapes fit each other.
bool canBroadcastToMatch(const poplar::Tensor &a, const poplar::Tensor &b);

} // namespace poputil
