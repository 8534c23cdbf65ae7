// SPDX-License-Identifier: MIT
// Options of slicing and of its planner; every slicing function takes them all.
#pragma once
#include "poplar/OptionFlags.hpp"
#include "poplar/Type.hpp"
#include "slice/SliceOps.hpp"
#include <optional>

namespace popops::slice {

// What the user demands of a plan, in the words of option planConstraints.
struct PlanConstraints {
  std::optional<std::size_t> groupSplit, unslicedDimSplit, slicedDimSplit, lookupParallelSplit,
      lookupSerialSplit, unslicedGrainSize;
  std::optional<bool> useOrderingInfo, precopyBaseWhenSerialSlice;
};

struct SliceOptions {
  bool remap = false, padding = false, validate = false;
  bool usedForSlice = true, usedForUpdate = true;
  Update operationForUpdate = Update::Add;
  double availableMemoryProportion = 0.6;
  bool onePoint = false; // all lookups may hit the same entry
  bool sorted = false;
  std::optional<poplar::Type> partialType;
  bool includeBaseRearrangement = true;
  PlanConstraints constraints;
};

// Throws poplar::invalid_option.
SliceOptions parseSliceOptions(const poplar::OptionFlags &options);

} // namespace popops::slice
