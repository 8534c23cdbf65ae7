// SPDX-License-Identifier: MIT
// Tile cycles of the non-linearity vertices: n elements in `regions` stretches of memory.
#pragma once
#include "openipu/Operation.hpp"
#include "popnn/NonLinearityDef.hpp"
#include <cstdint>

namespace popnn {

std::uint64_t nonLinearityCycles(NonLinearityType nonLinearity, const poplar::Type &type,
                                 std::uint64_t n, bool inPlace, unsigned regions);
std::uint64_t nonLinearityGradientCycles(NonLinearityType nonLinearity, const poplar::Type &type,
                                         std::uint64_t n, unsigned regions);
// Floating-point operations per element.
unsigned nonLinearityFlops(NonLinearityType nonLinearity, bool gradient);
std::string nonLinearityVertex(NonLinearityType nonLinearity, const poplar::Type &type,
                               bool inPlace);

} // namespace popnn
