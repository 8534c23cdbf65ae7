// SPDX-License-Identifier: MIT
// The steps of an image: each kind with the operands, children and tables it needs, and no step
// inside itself.
#pragma once
#include "executable/Image.hpp"

namespace poplar::executable {

// Variables and the host's tables are checked before. `tiles`: of a replica.
void checkSteps(const Image &image, std::uint32_t tiles);

// Programs nested deeper than this are refused: compiler and engine walk them recursively, and half
// of a usual stack of 8 MiB is kept in reserve.
constexpr std::uint32_t maxStepDepth = 4000;

} // namespace poplar::executable
