// SPDX-License-Identifier: MIT
#include "popops/PerformanceEstimation.hpp"
#include "openipu/Chip.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/ReduceCost.hpp"

namespace popops::internal {

std::uint64_t basicOpSupervisorOverhead(bool isScaledPtr64Layout) {
  return 11 + (isScaledPtr64Layout ? 2 : 0);
}

std::uint64_t getFillCycleEstimate(const poplar::Target &target, std::uint64_t elements,
                                   const poplar::Type &type) {
  return cost::fillCycles(openipu::chipOf(target), type, elements);
}

std::uint64_t getCastCycleEstimate(const poplar::Target &target, std::uint64_t elements,
                                   const poplar::Type &from, const poplar::Type &to) {
  return cost::castCycles(openipu::chipOf(target), from, to, elements);
}

std::uint64_t getReduceCycleEstimate(const poplar::Target &target, Operation op,
                                     std::uint64_t outputs, std::uint64_t partials,
                                     const poplar::Type &partialsType,
                                     const poplar::Type &outType) {
  cost::ReduceVertexShape shape;
  shape.kind = outputs == 1 ? cost::ReduceVertex::ScalarOutput : cost::ReduceVertex::Strided;
  shape.op = op;
  shape.in = partialsType;
  shape.out = outType;
  shape.outputs = outputs;
  shape.partials = partials;
  return cost::reduceTileCycles(openipu::chipOf(target), shape);
}

} // namespace popops::internal
