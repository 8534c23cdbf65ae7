// SPDX-License-Identifier: MIT
// Where tables and slices lie. Tables are stored with the sliced dimensions outermost, so that the
// elements of a slice are neighbours in memory; on the tiles they are a grid of entries by columns.
#pragma once
#include "poplar/Graph.hpp"
#include "slice/Checks.hpp"
#include "slice/PlanLookups.hpp"

namespace popops::slice {

// Part p of n things in `parts` parts.
inline poplar::Interval partOf(std::size_t n, std::size_t parts, std::size_t p) {
  return {n * p / parts, n * (p + 1) / parts};
}

// A tensor [groups, entries, columns] over the tiles of a split: what lies in row part (of
// `rowParts`) and column part goes to tileOf(groupPart, columnPart, rowPart). Where rows would be
// cut into more than about a hundred thousand pieces, each tile gets as many whole rows instead:
// the same bytes per tile, and a mapping that stays small.
struct Grid {
  std::size_t groupParts = 1, columnParts = 1, rowParts = 1, grain = 1;
};
void mapGrid(poplar::Graph &graph, const poplar::Tensor &t, const Grid &grid);

// A variable of `shape` stored with `dims` first, seen in the order of shape.
poplar::Tensor addSlicedFirst(poplar::Graph &graph, const poplar::Type &type, const Sizes &shape,
                              const Sizes &dims, const poplar::DebugContext &context,
                              poplar::Tensor *stored);

// [lookups, slice] with every slice where the first slice of t lies; of t's type and metadata.
poplar::Tensor slicesLike(poplar::Graph &graph, const poplar::Tensor &t, const Sizes &dims,
                          const Sizes &sizes, std::size_t lookups,
                          const poplar::DebugContext &context);

// The plan, if it is one for this table; throws poplibs_error if it was made for another.
const SlicePlanInternal *planFor(const std::string &call, const SlicePlan &plan,
                                 const poplar::Type &type, std::size_t groups, const Sizes &shape,
                                 const Sizes &dims, const Sizes &sizes);

void needPlan(const std::string &call, const SlicePlan &plan); // throws poplibs_error

// Slices [groups, n, shape] as a plan wants them, with the metadata of `like` if it has any.
poplar::Tensor plannedSlices(poplar::Graph &graph, const poplar::Type &type,
                             const poplar::Tensor *like, const SlicePlanInternal &plan,
                             std::size_t lookups, const Sizes &sliceShape,
                             const poplar::DebugContext &context);

} // namespace popops::slice
