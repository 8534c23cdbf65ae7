// SPDX-License-Identifier: MIT
// What slices and updates take on a table without a plan: every tile works on the columns that it
// has of the first entry. If other entries have their columns elsewhere, the slices are exchanged
// as well.
#pragma once
#include "openipu/Plan.hpp"
#include "slice/Checks.hpp"
#include "slice/SliceOps.hpp"

namespace popops::slice {

struct UnplannedLookups {
  poplar::Tensor table, rows; // rows: [lookups, slice], or one slice
  Sizes dims, sizes;
  std::size_t lookups;
  bool sorted = false;
};

openipu::Plan unplannedSlice(const poplar::Graph &graph, const UnplannedLookups &what);
openipu::Plan unplannedUpdate(const poplar::Graph &graph, const UnplannedLookups &what, Update op,
                              bool scaled);

} // namespace popops::slice
