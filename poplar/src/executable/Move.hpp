// SPDX-License-Identifier: MIT
// Moves of data, as steps have them.
#pragma once
#include "tensor/Move.hpp"

namespace poplar::executable {

constexpr std::uint32_t none = tensor::noVariable; // "no index"
using tensor::Move;
using tensor::MoveLoop;

} // namespace poplar::executable
