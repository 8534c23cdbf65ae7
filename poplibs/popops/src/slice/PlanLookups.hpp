// SPDX-License-Identifier: MIT
// The planner of table lookups: how a table [groups, entries, columns] and its lookups are split
// over tiles, what the steps of a slice or an update then take, and the search for the best split.
// Tile ((g * unslicedDimSplit + u) * slicedDimSplit + s) * lookupParallelSplit + l works on group
// part g, columns u, entries s and lookups l.
#pragma once
#include "openipu/Plan.hpp"
#include "popops/DynamicSlice.hpp"
#include "slice/SliceOptions.hpp"
#include <array>
#include <string>

namespace popops {

namespace slice {

struct Split {
  std::size_t groupSplit = 1, unslicedDimSplit = 1, slicedDimSplit = 1, lookupParallelSplit = 1,
              lookupSerialSplit = 1, unslicedGrainSize = 1;
  bool useOrderingInfo = false, precopyBaseWhenSerialSlice = false;

  std::size_t tiles() const {
    return groupSplit * unslicedDimSplit * slicedDimSplit * lookupParallelSplit;
  }
  auto operator<=>(const Split &) const = default;
};

struct Table {
  poplar::Type type, partialType;
  std::size_t groups, entries, columns;
};

// One superstep: every tile of the split does the same.
struct Stage {
  const char *name, *vertex;
  std::uint64_t cycles = 0, bytesIn = 0, bytesOut = 0, tempBytes = 0;
  std::uint32_t messagesIn = 0;
  std::uint32_t repeats = 1;
};
struct Stages {
  std::array<Stage, 5> stage;
  unsigned count = 0;
  void add(const Stage &s) { stage[count++] = s; }
  std::uint64_t cycles(const poplar::Target &target) const;
  std::uint64_t tempBytes() const;
};

Stages sliceStages(const poplar::Target &target, const Table &table, const Split &split,
                   std::size_t lookups, const SliceOptions &options);
Stages updateStages(const poplar::Target &target, const Table &table, const Split &split,
                    std::size_t lookups, Update op, bool scaled, const SliceOptions &options);
openipu::Plan toPlan(const Stages &stages, const Split &split, const Table &table,
                     Update op = Update::Replace, bool scaled = false);

// The split of least cycles whose temporaries fit the memory that the options allow; if none fits,
// the one of least memory. Throws poplibs_error when the constraints cannot be met.
Split findSplit(const poplar::Target &target, const Table &table,
                const std::vector<std::size_t> &lookups, const SliceOptions &options);

// The type that updates are summed in; throws poplibs_error if the option does not suit the data.
poplar::Type partialTypeOf(const std::string &call, const poplar::Type &type,
                           const SliceOptions &options);

} // namespace slice

class SlicePlanInternal {
public:
  slice::Table table;
  std::vector<std::size_t> numLookups;
  slice::SliceOptions options;
  slice::Split split;

  bool operator<(const SlicePlanInternal &other) const;
  bool operator==(const SlicePlanInternal &other) const;
};

} // namespace popops
