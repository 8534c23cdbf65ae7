// SPDX-License-Identifier: MIT
// Tile cycles of common vertices, for planners of other libraries: all workers of one tile of
// `target` on `elements` (or outputs and partials) that it holds.
#pragma once
#include <cassert>
#include <cstdint>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <popops/ExprOp.hpp>
#include <popops/OperationDef.hpp>

namespace popops {
namespace internal {

// Entering a vertex that runs on all workers.
std::uint64_t basicOpSupervisorOverhead(bool isScaledPtr64Layout = false);

std::uint64_t getFillCycleEstimate(const poplar::Target &target, std::uint64_t elements,
                                   const poplar::Type &type);
std::uint64_t getCastCycleEstimate(const poplar::Target &target, std::uint64_t elements,
                                   const poplar::Type &from, const poplar::Type &to);
// `partials` values for each output, the outputs side by side in memory.
std::uint64_t getReduceCycleEstimate(const poplar::Target &target, Operation op,
                                     std::uint64_t outputs, std::uint64_t partials,
                                     const poplar::Type &partialsType, const poplar::Type &outType);

} // namespace internal
} // namespace popops
