// SPDX-License-Identifier: MIT
// Tile cycles of the non-linearity vertices: n elements in `regions` stretches of memory.
#pragma once
#include "arch/Chip.hpp"
#include "openipu/Operation.hpp"
#include "popnn/NonLinearityDef.hpp"
#include <cstdint>
#include <vector>

namespace popnn {

std::uint64_t nonLinearityCycles(const arch::Chip &chip, NonLinearityType nonLinearity,
                                 const poplar::Type &type, std::uint64_t n, bool inPlace,
                                 unsigned regions);
std::uint64_t nonLinearityGradientCycles(const arch::Chip &chip, NonLinearityType nonLinearity,
                                         const poplar::Type &type, std::uint64_t n,
                                         unsigned regions);
// The NonLinearity1D or NonLinearityGrad1D vertex itself, whichever vertex the library would
// choose; none is known for HARD_SIGMOID.
std::uint64_t nonLinearityVertexCycles(const arch::Chip &chip, NonLinearityType nonLinearity,
                                       const poplar::Type &type, std::uint64_t n, bool gradient);
// NonLinearity2D or NonLinearityGrad2D with these regions: instructions of its worker.
std::uint64_t nonLinearityWorkerCycles(const arch::Chip &chip, NonLinearityType nonLinearity,
                                       const poplar::Type &type,
                                       const std::vector<std::uint64_t> &regions, bool gradient);
// Floating-point operations per element.
unsigned nonLinearityFlops(NonLinearityType nonLinearity, bool gradient);
std::string nonLinearityVertex(NonLinearityType nonLinearity, const poplar::Type &type,
                               bool inPlace);

} // namespace popnn
