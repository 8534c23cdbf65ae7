// SPDX-License-Identifier: MIT
// Cycles of the slicing vertices on one tile, all six workers. `type` gives the bytes of an
// element, `row` the elements of one slice that lie on the tile.
#pragma once
#include "poplar/Target.hpp"
#include "poplar/Type.hpp"
#include <cstdint>
#include <optional>

namespace popops {

struct SliceWork {
  std::uint64_t lookups = 0; // offsets that the vertex reads
  std::uint64_t inRange = 0; // of these, found in the rows of this tile
  std::uint64_t row = 0;     // elements per lookup
  std::uint64_t entries = 0; // rows on this tile; matters when sorted
  bool sorted = false;
  // Whether workers share each row instead of the lookups; if not said, they do with one lookup.
  std::optional<bool> splitRow = {};
  std::uint64_t perWorker = 0; // elements of a row that is shared; 0: equal parts
};

std::uint64_t multiSliceCycles(const poplar::Target &target, const poplar::Type &type,
                               const SliceWork &work);
std::uint64_t multiUpdateCycles(const poplar::Target &target, const poplar::Type &type,
                                const SliceWork &work);
// t[i] op= [scale *] s: MultiUpdateOp, ScaledMultiUpdateOp.
std::uint64_t multiUpdateOpCycles(const poplar::Target &target, const poplar::Type &type,
                                  const SliceWork &work, bool scaled);
// `slices` neighbouring entries, each a region of `row` elements: DynamicSlice1D and
// DynamicUpdateSlice1D.
std::uint64_t dynamicSliceCycles(const poplar::Target &target, const poplar::Type &type,
                                 std::uint64_t slices, std::uint64_t row);
// The same for several regions of unequal memory, as six DynamicSlice2D workers.
std::uint64_t dynamicSlice2DCycles(const poplar::Target &target, const poplar::Type &type,
                                   std::uint64_t slices, std::uint64_t row, std::uint64_t regions);
std::uint64_t sequenceSliceCycles(std::uint64_t sequences, std::uint64_t bytes);

} // namespace popops
